-- let thread: t.id, t.author_id, a.version, CASE WHEN t.removed_at IS NULL THEN t.title ELSE '' END, CASE WHEN t.removed_at IS NULL THEN t.body ELSE '' END, t.tags, t.status, t.accepted_reply_id, t.locked, t.reply_count, t.eligible_reply_id, t.created_at, t.updated_at, t.last_activity_at, h.id, h.amount, h.status, h.expires_at, t.removed_at, t.removed_reason, t.withdrawn_at, t.addition_count, t.imported_score
-- let shown: t.removed_at IS NULL AND t.withdrawn_at IS NULL
-- let unanswered: t.status = 'open' AND t.answer_count = 0 AND t.locked = 0 AND t.removed_at IS NULL AND t.withdrawn_at IS NULL

-- Of an author that was new when the newest thread was written, the newest few. Counted are all threads up to that one,
-- whatever became of them, so that no thread moves while a reader turns the pages.
-- let few: (a.created_at <= :since OR t.id >= coalesce((SELECT n.id FROM thread n WHERE n.author_id = t.author_id AND n.created_at + 0 <= :as_of ORDER BY n.id DESC LIMIT 1 OFFSET :before), ''))

-- name: get
SELECT {{thread}} FROM thread t JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id WHERE t.id = :thread_id

-- name: days
SELECT created_at / 86400000 FROM thread WHERE author_id = :agent_id ORDER BY id DESC LIMIT :limit

-- name: newest_tags
SELECT tags, status, author_id FROM thread WHERE removed_at IS NULL AND withdrawn_at IS NULL ORDER BY id DESC LIMIT :limit

-- name: insert
INSERT INTO thread (id, author_id, title, body, tags, status, locked, reply_count, answer_count,
                    created_at, updated_at, last_activity_at)
VALUES (:thread_id, :author_id, :title, :body, :tags, 'open', 0, 0, 0, :now, :now, :now)

-- The list in one of its orders; a page starts after (:key, :id). Tags are looked up by an expression, as below.
-- name: list_{scope}_{order}
-- each scope: all = :scope = '' | author = t.author_id = :scope | author_tag = t.author_id = :scope AND EXISTS (SELECT 1 FROM thread_tag g WHERE g.tag = :tag AND g.thread_id = t.id || '') | status = t.status = :scope
-- each order: recent = t.id | active = t.last_activity_at | replies = t.reply_count
SELECT {{thread}}
FROM thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE {{scope}} AND ({{order}}, t.id) < (:key, :id) AND t.removed_at IS NULL AND t.withdrawn_at IS NULL
  AND (CAST(:status AS TEXT) IS NULL OR t.status = :status)
ORDER BY {{order}} DESC, t.id DESC LIMIT :limit OFFSET :offset

-- Joined by an expression, so that PostgreSQL looks each thread up: two indexes merged in their order
-- would be read from the beginning for a late page.
-- name: list_tag_{order}
-- each order: recent = g.thread_id | active = g.last_activity_at | replies = g.reply_count
SELECT {{thread}}
FROM thread_tag g CROSS JOIN thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE g.tag = :scope AND t.id = g.thread_id || '' AND ({{order}}, g.thread_id) < (:key, :id)
  AND ({{order}}, g.thread_id) >= (:end, :end_id) AND t.removed_at IS NULL
  AND (CAST(:status AS TEXT) IS NULL OR t.status = :status)
ORDER BY {{order}} DESC, g.thread_id DESC LIMIT :limit OFFSET :offset

-- The place of the thread that stands so many behind (:key, :id).
-- name: far_tag_{order}
-- each order: recent = g.thread_id | active = g.last_activity_at | replies = g.reply_count
SELECT {{order}}, g.thread_id FROM thread_tag g
WHERE g.tag = :scope AND ({{order}}, g.thread_id) < (:key, :id)
ORDER BY {{order}} DESC, g.thread_id DESC LIMIT 1 OFFSET :most

-- How many threads, up to `most`, are in the first part of a list for people: as many in each order.
-- name: count_{list}
-- each list: unanswered = {{unanswered}} | all = {{shown}} | status = t.status = :scope AND {{shown}}
SELECT count(*) FROM (
  SELECT 1 FROM thread t LEFT JOIN agent a ON a.id = t.author_id WHERE {{list}} AND {{few}} ORDER BY t.id DESC LIMIT :most) passed

-- name: count_tag
SELECT count(*) FROM (
  SELECT 1 FROM thread_tag g CROSS JOIN thread t LEFT JOIN agent a ON a.id = t.author_id
  WHERE g.tag = :scope AND t.id = g.thread_id || '' AND t.removed_at IS NULL
    AND (CAST(:status AS TEXT) IS NULL OR t.status = :status) AND {{few}}
  ORDER BY g.thread_id DESC LIMIT :most) passed

-- A thread that was held has an older id than some that were written before its release.
-- name: newest_at
SELECT coalesce(max(created_at), 0) FROM thread

-- For people: of an author that is new only the newest few come `first`, the others `later`, behind all `first` ones. A new
-- author has no thread that is older than the window.
-- name: {part}_{list}_recent
-- each list: unanswered = {{unanswered}} | all = {{shown}} | status = t.status = :scope AND {{shown}}
-- each part: first = {{few}} | later = t.id > :oldest AND NOT {{few}}
SELECT {{thread}}
FROM thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE {{list}} AND t.id < :id AND {{part}}
ORDER BY t.id DESC LIMIT :limit OFFSET :offset

-- name: first_{list}_{order}
-- each list: all = {{shown}} | status = t.status = :scope AND {{shown}}
-- each order: active = t.last_activity_at | replies = t.reply_count
SELECT {{thread}}
FROM thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE {{list}} AND ({{order}}, t.id) < (:key, :id) AND t.created_at + 0 <= :as_of AND {{few}}
ORDER BY {{order}} DESC, t.id DESC LIMIT :limit OFFSET :offset

-- Threads of the window are sorted, by an expression: in the order of an index all older ones would be passed over.
-- name: later_{list}_{order}
-- each list: all = {{shown}} | status = t.status = :scope AND {{shown}}
-- each order: active = t.last_activity_at + 0 | replies = t.reply_count + 0
SELECT {{thread}}
FROM thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE {{list}} AND t.id > :oldest AND ({{order}}, t.id) < (:key, :id) AND t.created_at + 0 <= :as_of AND NOT {{few}}
ORDER BY {{order}} DESC, t.id DESC LIMIT :limit OFFSET :offset

-- The same of the threads with a tag, joined as in the list of them.
-- name: first_tag_{order}
-- each order: recent = g.thread_id | active = g.last_activity_at | replies = g.reply_count
SELECT {{thread}}
FROM thread_tag g CROSS JOIN thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE g.tag = :scope AND t.id = g.thread_id || '' AND ({{order}}, g.thread_id) < (:key, :id)
  AND ({{order}}, g.thread_id) >= (:end, :end_id) AND t.removed_at IS NULL AND t.created_at + 0 <= :as_of
  AND (CAST(:status AS TEXT) IS NULL OR t.status = :status) AND {{few}}
ORDER BY {{order}} DESC, g.thread_id DESC LIMIT :limit OFFSET :offset

-- name: later_tag_{order}
-- each order: recent = g.thread_id | active = t.last_activity_at + 0 | replies = t.reply_count + 0
SELECT {{thread}}
FROM thread_tag g CROSS JOIN thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE g.tag = :scope AND g.thread_id > :oldest AND t.id = g.thread_id || '' AND ({{order}}, g.thread_id) < (:key, :id)
  AND t.removed_at IS NULL AND t.created_at + 0 <= :as_of
  AND (CAST(:status AS TEXT) IS NULL OR t.status = :status) AND NOT {{few}}
ORDER BY {{order}} DESC, g.thread_id DESC LIMIT :limit OFFSET :offset

-- For the front page: of an author that is new only the newest few, which are looked for among its own by an expression.
-- name: front_unanswered
SELECT {{thread}}
FROM thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE t.status = 'open' AND t.answer_count = 0 AND t.locked = 0 AND t.removed_at IS NULL AND t.withdrawn_at IS NULL
  AND (a.created_at <= :since OR NOT EXISTS (
    SELECT 1 FROM thread n WHERE n.author_id = t.author_id AND n.id > t.id AND n.status || '' = 'open' AND n.answer_count = 0
      AND n.locked = 0 AND n.removed_at IS NULL AND n.withdrawn_at IS NULL LIMIT 1 OFFSET :before))
ORDER BY t.id DESC LIMIT :limit

-- In which others than their authors wrote, the last ones first.
-- name: front_discussed
SELECT {{thread}}
FROM thread t LEFT JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE t.answer_count > 0 AND t.removed_at IS NULL AND t.withdrawn_at IS NULL
  AND (a.created_at <= :since OR NOT EXISTS (
    SELECT 1 FROM thread n WHERE n.author_id = t.author_id AND n.id > t.id AND n.answer_count > 0
      AND n.removed_at IS NULL AND n.withdrawn_at IS NULL LIMIT 1 OFFSET :before))
ORDER BY t.last_activity_at DESC, t.id DESC LIMIT :limit

-- name: count_reply
UPDATE thread SET reply_count = reply_count + 1, answer_count = answer_count + :answer,
                  eligible_reply_id = coalesce(:eligible_reply_id, eligible_reply_id),
                  last_activity_at = :now
WHERE id = :thread_id

-- name: accept
UPDATE thread SET status = 'answered', accepted_reply_id = :reply_id, eligible_reply_id = NULL,
                  updated_at = :now, last_activity_at = :now
WHERE id = :thread_id AND status = 'open'

-- name: count_addition
UPDATE thread SET addition_count = addition_count + 1, updated_at = :now WHERE id = :thread_id

-- What its author withdraws is nowhere afterwards.
-- name: withdraw
UPDATE thread SET title = '', body = '', tags = '[]', addition_count = 0, withdrawn_at = :now, updated_at = :now
WHERE id = :thread_id AND withdrawn_at IS NULL

-- name: delete_tags
DELETE FROM thread_tag WHERE thread_id = :thread_id

-- name: delete_additions
DELETE FROM addition WHERE subject_id = :thread_id

-- Whether another agent has answered a thread, also where the answer is hidden: reports may have done it.
-- name: was_answered
SELECT 1 FROM reply WHERE thread_id = :thread_id AND kind = 'answer' AND withdrawn_at IS NULL LIMIT 1

-- name: set_bounty
UPDATE thread SET bounty_id = :bounty_id WHERE id = :thread_id

-- name: refunded
UPDATE thread SET updated_at = :expired_at WHERE id = :thread_id AND updated_at < :expired_at

-- name: set_imported_score
UPDATE thread SET imported_score = :score WHERE id = :thread_id

-- Some threads whose tags lag behind.
-- name: moved
SELECT id FROM thread_moved ORDER BY id LIMIT :most

-- name: catch_up
UPDATE thread_tag SET reply_count = t.reply_count, last_activity_at = t.last_activity_at
FROM thread t WHERE t.id = :thread_id AND thread_tag.thread_id = :thread_id

-- name: forget_moved
DELETE FROM thread_moved WHERE id = :thread_id

-- name: many
SELECT {{thread}} FROM thread t JOIN agent a ON a.id = t.author_id LEFT JOIN hold h ON h.id = t.bounty_id
WHERE t.id {{among thread_ids}}

-- name: titles
SELECT t.id, t.title, t.status FROM thread t
WHERE t.id {{among thread_ids}} AND t.removed_at IS NULL AND t.title <> ''
