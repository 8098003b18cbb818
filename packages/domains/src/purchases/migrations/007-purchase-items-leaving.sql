-- The lines of leaving purchases.
CREATE VIEW purchase_items_leaving AS
  SELECT id AS purchase_id, item_id, quantity, store_id
  FROM purchases_leaving, JSON_TABLE(items, '$[*]' COLUMNS (
    item_id BIGINT UNSIGNED PATH '$[0]',
    quantity INT UNSIGNED PATH '$[1]'
  )) AS lines_of_purchase
