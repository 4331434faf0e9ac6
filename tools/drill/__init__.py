"""`make drill`: kills and cuts off the primary of a PostgreSQL cluster under paid load, and judges.

The cluster of docs/scale.md is built on this machine: three nodes, each with etcd, Patroni and
PostgreSQL in namespaces of its own, and HAProxy and Stoa in front of them.
"""
