"""The paper, table by table and figure by figure: each study can be run again, beside this package's methods."""
