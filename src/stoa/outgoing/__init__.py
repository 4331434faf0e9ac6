"""The only package that connects to machines whose addresses agents name, and to the own one."""
