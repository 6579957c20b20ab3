"""The pretrained network behind the method ``auto``: what it sees, how it reckons, how sure it is."""
