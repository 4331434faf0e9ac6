"""Write the pages of the reference that differ from what the code says."""

from tools.docs import files
from tools.generated import write

write(files())
