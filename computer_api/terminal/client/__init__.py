"""``oi-computer``: the computer for shells, a program that asks over a socket that it inherited."""
