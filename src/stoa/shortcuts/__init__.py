"""What is answered without calling the application: cached answers, challenges, calls of tools."""
