-- The rows of a batch, for folding and for the audit of what is new.
ALTER TABLE purchases ADD KEY batch (producer, sequence);
ALTER TABLE purchases_leaving ADD KEY batch (producer, sequence);
-- The folded counts have what the base has. Without a value for this column an earlier release adds nothing to the base.
ALTER TABLE purchases_base ADD COLUMN is_folded TINYINT UNSIGNED NOT NULL;
UPDATE purchases_base SET is_folded = 1;
SET SESSION group_concat_max_len = 16000000;
INSERT INTO folded_counts (domain, member, slice, counts)
  SELECT 'purchases', store_id, item_id % 8, CONCAT('[', GROUP_CONCAT(CONCAT('[', item_id, ',', quantity, ']')), ']')
  FROM purchases_base GROUP BY store_id, item_id % 8
