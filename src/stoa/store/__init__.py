"""The store: named SQL statements, engines, migrations, search."""
