-- The purchases of the month that is being removed; empty otherwise. `tally retention` makes it again, like the partitions of the time.
CREATE TABLE purchases_leaving LIKE purchases
