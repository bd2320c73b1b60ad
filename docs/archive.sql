-- Moves sessions that ended more than 90 days ago, with everything that belongs to them, into the schema `archive`.
-- One transaction, safe beside running servers; run it as often as you like, from cron. The logs of what stays are
-- untouched (each session has its own chain), the global cursor only gets holes, which readers allow for.
-- Sessions with an answer that nobody acknowledged, or with unread mail, stay.
BEGIN;
CREATE SCHEMA IF NOT EXISTS archive;
CREATE TABLE IF NOT EXISTS archive.sessions (LIKE public.sessions);
ALTER TABLE archive.sessions ADD COLUMN IF NOT EXISTS head_mac TEXT;
CREATE TABLE IF NOT EXISTS archive.runs (LIKE public.runs);
CREATE TABLE IF NOT EXISTS archive.asks (LIKE public.asks);
CREATE TABLE IF NOT EXISTS archive.events (LIKE public.events);
CREATE TABLE IF NOT EXISTS archive.outputs (LIKE public.outputs);
CREATE TABLE IF NOT EXISTS archive.messages (LIKE public.messages);
CREATE TABLE IF NOT EXISTS archive.partial_states (LIKE public.partial_states);
CREATE TABLE IF NOT EXISTS archive.forms (LIKE public.forms);

CREATE TEMPORARY TABLE leaving ON COMMIT DROP AS
  SELECT id FROM sessions s
  WHERE status = 'ended' AND id <> 'system'
    AND ended_at < extract(epoch FROM now() - interval '90 days') * 1000
    AND NOT EXISTS (SELECT 1 FROM asks a WHERE a.session_id = s.id AND a.delivery = 'due')
    AND NOT EXISTS (SELECT 1 FROM messages m
                    WHERE s.id IN (m.session_id, m.from_session_id) AND m.acked_at IS NULL AND m.dead_at IS NULL)
  LIMIT 1000
  FOR UPDATE SKIP LOCKED;

WITH gone AS (DELETE FROM partial_states WHERE ask_id IN (SELECT id FROM asks WHERE session_id IN (TABLE leaving)) RETURNING *)
  INSERT INTO archive.partial_states SELECT * FROM gone;
WITH gone AS (DELETE FROM forms WHERE session_id IN (TABLE leaving) RETURNING *)
  INSERT INTO archive.forms SELECT * FROM gone;
WITH gone AS (DELETE FROM outputs WHERE run_id IN (SELECT id FROM runs WHERE session_id IN (TABLE leaving)) RETURNING *)
  INSERT INTO archive.outputs SELECT * FROM gone;
WITH gone AS (DELETE FROM messages WHERE session_id IN (TABLE leaving) RETURNING *)
  INSERT INTO archive.messages SELECT * FROM gone;
WITH gone AS (DELETE FROM events WHERE session_id IN (TABLE leaving) RETURNING *)
  INSERT INTO archive.events SELECT * FROM gone;
WITH gone AS (DELETE FROM asks WHERE session_id IN (TABLE leaving) RETURNING *)
  INSERT INTO archive.asks SELECT * FROM gone;
WITH gone AS (DELETE FROM runs WHERE session_id IN (TABLE leaving) RETURNING *)
  INSERT INTO archive.runs SELECT * FROM gone;
WITH gone AS (DELETE FROM sessions WHERE id IN (TABLE leaving) RETURNING *)
  INSERT INTO archive.sessions SELECT * FROM gone;
COMMIT;
