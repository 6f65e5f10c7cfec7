"""Property tests repeat themselves; REPROSUM_HYPOTHESIS=random draws new data and prints what fails."""
import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, database=None, deadline=None, max_examples=300)
settings.register_profile("random", database=None, deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("random" if os.environ.get("REPROSUM_HYPOTHESIS") == "random" else "same")
