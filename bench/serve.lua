-- What bench/serve.py has wrk send: the lines of a file, as bodies of requests to a path. Arguments: the path, the file, and how many
-- milliseconds each connection rests between two requests.

local bodies, at, rest, path = {}, 0, 0, ""

function init(args)
  path, rest = args[1], tonumber(args[3])
  for line in io.lines(args[2]) do
    bodies[#bodies + 1] = line
  end
end

function delay()
  return rest
end

function request()
  at = at + 1
  return wrk.format("POST", path, {["Content-Type"] = "application/json"}, bodies[(at - 1) % #bodies + 1])
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.timeout + errors.connect + errors.read + errors.write
  io.write(string.format("result %d %f %d %f %f %f\n", summary.requests, summary.duration / 1e6, failed,
    latency.mean / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
