import gc
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

# States have no cycles, and to look for some takes a third of the time.
gc.disable()
