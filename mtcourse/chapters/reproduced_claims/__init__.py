"""What the page of reproduced claims shows: effects, rules, and the claims of the papers."""
