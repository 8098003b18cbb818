-- When the till sold, in ms since 1970, where it says so. Not INSTANT: MySQL exchanges no partition with such a column.
ALTER TABLE purchases ADD COLUMN sold_at BIGINT UNSIGNED NULL, ALGORITHM=INPLACE;
ALTER TABLE purchases_leaving ADD COLUMN sold_at BIGINT UNSIGNED NULL, ALGORITHM=INPLACE;
-- A priced item is [item, quantity, price of a unit, discount], both amounts × 10,000.
CREATE OR REPLACE VIEW purchase_items AS
  SELECT id AS purchase_id, line - 1 AS line, item_id, quantity, store_id, purchased_on,
    unit_price / 10000 AS unit_price, discount / 10000 AS discount_amount
  FROM purchases, JSON_TABLE(items, '$[*]' COLUMNS (
    line FOR ORDINALITY,
    item_id BIGINT UNSIGNED PATH '$[0]',
    quantity INT UNSIGNED PATH '$[1]',
    unit_price BIGINT UNSIGNED PATH '$[2]',
    discount BIGINT UNSIGNED PATH '$[3]'
  )) AS lines_of_purchase
