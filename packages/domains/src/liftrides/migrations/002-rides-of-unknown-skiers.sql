-- NULL: the client did not say who rode. Such a row has the id of its request, and no skier's sum and no board contains it.
ALTER TABLE lift_rides MODIFY skier_id BIGINT UNSIGNED NULL
