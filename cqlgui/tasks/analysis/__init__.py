"""What a result says as a whole: continuations, sums and pictures. No module here prints or draws."""
