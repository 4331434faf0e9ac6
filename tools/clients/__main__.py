"""Write the generated files where they differ from what the table of operations says."""

from tools.clients import files
from tools.generated import write

write(files())
