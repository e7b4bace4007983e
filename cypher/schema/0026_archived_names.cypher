// An archived skill gives its name free for another of its scope.
MATCH (s:Skill)
WHERE s.id > '' AND s.status = 'archived'
SET s.skill_key = 'archived:' + s.id;
