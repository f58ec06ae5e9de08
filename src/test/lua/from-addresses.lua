-- What Rspamd finds in the header From: of mails: reads their paths from standard input, one a line, and prints for each
-- the addresses, separated by tabs. Run by "rspamadm lua".
local rspamd_task = require "rspamd_task"

for path in io.lines() do
  local mail = io.open(path, "rb")
  local _, task = rspamd_task.load_from_string(mail:read("*a"), rspamd_config)
  mail:close()
  task:process_message()
  local found = {}
  for _, address in ipairs(task:get_from("mime") or {}) do
    table.insert(found, address.addr)
  end
  print(table.concat(found, "\t"))
  task:destroy()
end
