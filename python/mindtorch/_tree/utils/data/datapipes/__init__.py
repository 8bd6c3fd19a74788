"""torch.utils.data.datapipes: datasets as pipes over streams, over maps and over data frames."""

from . import dataframe as dataframe
from . import iter as iter
from . import map as map
