-- The newest letters, of all or of one domain, stage or state, without reading the others. The letters of a state are counted from here too.
ALTER TABLE dead_letters
  ADD KEY time (died_at),
  ADD KEY domain_time (domain, died_at),
  ADD KEY stage_time (stage, died_at),
  ADD KEY state_time (state, died_at)
