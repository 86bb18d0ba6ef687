"""Multiple-choice questions whose wrong options are mistakes that the checks know."""
