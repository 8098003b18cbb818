-- A sale is one row with its lines, [[item, quantity], …], instead of one and five more: rows are what the database spends its time on
-- (docs/decisions/0012-lines-in-the-row-of-their-sale.md).
ALTER TABLE purchases ADD COLUMN items JSON NULL;
SET SESSION group_concat_max_len = 1000000;
UPDATE purchases SET items = (
  SELECT CONCAT('[', GROUP_CONCAT(CONCAT('[', item_id, ',', quantity, ']') ORDER BY line SEPARATOR ','), ']')
  FROM purchase_items WHERE purchase_id = id
);
ALTER TABLE purchases MODIFY COLUMN items JSON NOT NULL;
DROP TABLE purchase_items;
-- The lines for SQL: one row for each, with what is asked for beside it.
CREATE VIEW purchase_items AS
  SELECT id AS purchase_id, line - 1 AS line, item_id, quantity, store_id, purchased_on
  FROM purchases, JSON_TABLE(items, '$[*]' COLUMNS (
    line FOR ORDINALITY,
    item_id BIGINT UNSIGNED PATH '$[0]',
    quantity INT UNSIGNED PATH '$[1]'
  )) AS lines_of_purchase;
