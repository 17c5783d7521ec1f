"""What a model is shown: pictures in a size and number that its provider takes, or the screen in words."""
