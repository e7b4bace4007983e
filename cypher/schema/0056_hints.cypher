// What is said in place of what, and what nearly repeats what: texts by what they name.
CREATE INDEX episode_supersedes IF NOT EXISTS FOR (n:Episode) ON (n.supersedes);
CREATE INDEX episode_near_duplicate IF NOT EXISTS FOR (n:Episode) ON (n.near_duplicate);
