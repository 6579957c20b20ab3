"""The pretrained network behind the method ``auto``: what it sees, how it reckons, how sure it is."""

import rankcast.methods  # noqa: F401  first, as the networks see what the methods make of evidence, and one of these is theirs
