-- Accounts and privileges in MySQL: one account for each app and for each kind of operator. Words in double braces are replaced.
CREATE DATABASE IF NOT EXISTS `{{database}}` DEFAULT CHARACTER SET utf8mb4;

-- The administrator creates and changes tables (`pnpm tally migrate`, `pnpm tally retention`) and reads the lag of the replica.
CREATE USER IF NOT EXISTS tally@'{{from}}' IDENTIFIED BY '{{admin}}';
GRANT ALL ON `{{databases}}`.* TO tally@'{{from}}';
GRANT {{lag}} ON *.* TO tally@'{{from}}';

-- `pnpm tally`, except migrate and retention.
CREATE USER IF NOT EXISTS tally_maintenance@'{{from}}' IDENTIFIED BY '{{maintenance}}';
GRANT SELECT, INSERT, UPDATE, DELETE ON `{{databases}}`.* TO tally_maintenance@'{{from}}';

-- The writer stores events, ledger rows and dead letters.
CREATE USER IF NOT EXISTS tally_writer@'{{from}}' IDENTIFIED BY '{{writer}}';
GRANT SELECT, INSERT, UPDATE ON `{{databases}}`.* TO tally_writer@'{{from}}';

-- The ranker reads rows, and folds ledger rows of batches that are ranked.
CREATE USER IF NOT EXISTS tally_ranker@'{{from}}' IDENTIFIED BY '{{ranker}}';
GRANT SELECT, INSERT, UPDATE, DELETE ON `{{databases}}`.* TO tally_ranker@'{{from}}';

-- A gateway reads at both endpoints.
CREATE USER IF NOT EXISTS tally_gateway@'{{from}}' IDENTIFIED BY '{{gateway}}';
GRANT SELECT ON `{{databases}}`.* TO tally_gateway@'{{from}}';

-- The replica follows the primary.
CREATE USER IF NOT EXISTS tally_replication@'{{from}}' IDENTIFIED BY '{{replication}}';
GRANT REPLICATION SLAVE ON *.* TO tally_replication@'{{from}}';
