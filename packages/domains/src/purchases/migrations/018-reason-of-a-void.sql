-- Why a sale was voided, as the till says.
ALTER TABLE purchase_corrections ADD COLUMN reason VARCHAR(200) CHARACTER SET utf8mb4 NULL
