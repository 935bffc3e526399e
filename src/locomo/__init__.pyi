from locomo.api import compare as compare
from locomo.api import f1 as f1
from locomo.api import load_dataset as load_dataset
from locomo.api import load_run as load_run
from locomo.api import score_answers as score_answers

__version__: str
