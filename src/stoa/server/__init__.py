"""The server: HTTP/1.1 connections, their deadlines and the process that serves them."""
