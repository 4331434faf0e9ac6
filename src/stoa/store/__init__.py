"""What is kept: named SQL statements, engines, migrations, search."""
