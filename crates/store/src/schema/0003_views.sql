-- What people ask the file, by the names they know. Views over the rows: they hold nothing, and are as far as the rows.
-- Ids are those of a run, so `run_id` belongs to each of them. Times are in UTC.

CREATE VIEW user_questions AS
SELECT
    row.key AS id,
    json_extract(row.json, '$.agent') AS agent_id,
    json_extract(office.json, '$.project') AS office_id,
    json_extract(row.json, '$.kind') AS question_type,
    json_extract(row.json, '$.text') AS question,
    json_extract(row.json, '$.options') AS options,
    json_extract(row.json, '$.status') AS status,
    json_extract(row.json, '$.answer') AS response,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.expiresAt') / 1000.0, 'unixepoch') AS expires_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.askedAt') / 1000.0, 'unixepoch') AS created_at,
    run.name AS run_id,
    json_extract(row.json, '$.task') AS task_id,
    json_extract(row.json, '$.session') AS session_id,
    json_extract(row.json, '$.answeredBy') AS answered_by,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.answeredAt') / 1000.0, 'unixepoch') AS answered_at
FROM row
JOIN run ON run.id = row.run
LEFT JOIN row AS office ON office.run = row.run AND office.kind = 'run'
WHERE row.kind = 'question';

CREATE VIEW agent_invocations AS
SELECT
    row.key AS id,
    json_extract(office.json, '$.project') AS office_id,
    json_extract(row.json, '$.caller') AS caller_agent_id,
    json_extract(row.json, '$.callee') AS callee_agent_id,
    json_extract(row.json, '$.wanted') AS reason,
    json_extract(row.json, '$.context') AS context,
    json_extract(row.json, '$.status') AS status,
    run.name AS run_id,
    json_extract(row.json, '$.callerSession') AS caller_session,
    json_extract(row.json, '$.calleeSession') AS callee_session,
    json_extract(row.json, '$.outcome') AS outcome,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.createdAt') / 1000.0, 'unixepoch') AS created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.endedAt') / 1000.0, 'unixepoch') AS ended_at
FROM row
JOIN run ON run.id = row.run
LEFT JOIN row AS office ON office.run = row.run AND office.kind = 'run'
WHERE row.kind = 'invocation';

CREATE VIEW agent_results AS
SELECT
    row.key AS id,
    json_extract(office.json, '$.project') AS office_id,
    json_extract(row.json, '$.from') AS from_agent_id,
    json_extract(row.json, '$.to') AS to_agent_id,
    json_extract(row.json, '$.resultType') AS result_type,
    json_extract(row.json, '$.contentType') AS content_type,
    json_extract(row.json, '$.content') AS content,
    json_extract(row.json, '$.status') AS status,
    run.name AS run_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.createdAt') / 1000.0, 'unixepoch') AS created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.deliveredAt') / 1000.0, 'unixepoch') AS delivered_at
FROM row
JOIN run ON run.id = row.run
LEFT JOIN row AS office ON office.run = row.run AND office.kind = 'run'
WHERE row.kind = 'result';

CREATE VIEW office_agents AS
SELECT
    row.key AS id,
    json_extract(office.json, '$.project') AS office_id,
    json_extract(row.json, '$.name') AS name,
    json_extract(row.json, '$.role') AS role,
    run.name AS run_id,
    json_extract(row.json, '$.nSessions') AS sessions,
    json_extract(row.json, '$.used.tokens') AS tokens,
    json_extract(row.json, '$.used.costMicros') AS cost_micros
FROM row
JOIN run ON run.id = row.run
LEFT JOIN row AS office ON office.run = row.run AND office.kind = 'run'
WHERE row.kind = 'agent';

CREATE VIEW direct_channels AS
SELECT
    row.key AS id,
    json_extract(row.json, '$.sessionA') AS session_a,
    json_extract(row.json, '$.sessionB') AS session_b,
    json_extract(row.json, '$.status') AS status,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.createdAt') / 1000.0, 'unixepoch') AS created_at,
    run.name AS run_id
FROM row
JOIN run ON run.id = row.run
WHERE row.kind = 'channel';

CREATE VIEW direct_messages AS
SELECT
    row.key AS id,
    json_extract(row.json, '$.channel') AS channel_id,
    json_extract(row.json, '$.fromSession') AS from_session,
    json_extract(row.json, '$.toSession') AS to_session,
    json_extract(row.json, '$.directType') AS message_type,
    json_extract(row.json, '$.content') AS payload,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.deliveredAt') / 1000.0, 'unixepoch') AS delivered_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.createdAt') / 1000.0, 'unixepoch') AS created_at,
    run.name AS run_id,
    json_extract(row.json, '$.status') AS status
FROM row
JOIN run ON run.id = row.run
WHERE row.kind = 'directMessage';

CREATE VIEW escalations AS
SELECT
    row.key AS id,
    json_extract(row.json, '$.session') AS session_id,
    json_extract(row.json, '$.task') AS port_id,
    json_extract(row.json, '$.kind') AS type,
    json_extract(row.json, '$.severity') AS severity,
    json_extract(row.json, '$.title') AS title,
    json_extract(row.json, '$.description') AS description,
    json_extract(row.json, '$.context') AS context,
    json_extract(row.json, '$.suggested') AS suggested_actions,
    json_extract(row.json, '$.resolvedBy') AS resolved_by,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.resolvedAt') / 1000.0, 'unixepoch') AS resolved_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.createdAt') / 1000.0, 'unixepoch') AS created_at,
    run.name AS run_id,
    json_extract(row.json, '$.phase') AS phase,
    json_extract(row.json, '$.level') AS level,
    json_extract(row.json, '$.status') AS status
FROM row
JOIN run ON run.id = row.run
WHERE row.kind = 'escalation';

CREATE VIEW sessions AS
SELECT
    row.key AS id,
    json_extract(row.json, '$.parent') AS parent_id,
    json_extract(row.json, '$.depth') AS depth,
    json_extract(row.json, '$.role') AS role,
    json_extract(row.json, '$.agent') AS agent_id,
    json_extract(row.json, '$.state') AS status,
    json_extract(row.json, '$.park') AS park,
    json_extract(row.json, '$.task') AS port_id,
    json_extract(row.json, '$.phase') AS phase,
    json_extract(row.json, '$.used.tokens') AS tokens,
    json_extract(row.json, '$.used.costMicros') AS cost_micros,
    json_extract(row.json, '$.contextPermille') AS context_permille,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.startedAt') / 1000.0, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.json, '$.endedAt') / 1000.0, 'unixepoch') AS ended_at,
    run.name AS run_id
FROM row
JOIN run ON run.id = row.run
WHERE row.kind = 'session';
