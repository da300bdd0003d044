// In the page: imports the module that the address names, calls its run(), and posts what that returns, every error, and every
// line that it says. Needs no driver of the browser.

const posts = [];

function post(kind, value) {
  const done = fetch("/post", { method: "POST", body: JSON.stringify({ kind, value }) });
  posts.push(done);
  return done;
}

// The result is the last that is posted, after every error that the page has met so far.
async function finish(value) {
  await new Promise((done) => setTimeout(done, 50));
  await Promise.all(posts);
  await post("result", value ?? null);
}

function words(value) {
  return value instanceof Error ? `${value.message}\n${value.stack}` : String(value);
}

addEventListener("error", (event) => post("error", words(event.error ?? event.message)));
addEventListener("unhandledrejection", (event) => post("error", words(event.reason)));
addEventListener("securitypolicyviolation", (event) => post("error", `policy: ${event.violatedDirective} ${event.blockedURI}`));
const consoleError = console.error;
console.error = (...values) => {
  consoleError(...values);
  post("error", values.map(words).join(" "));
};

try {
  const asked = new URL(location.href).searchParams;
  const module = await import(asked.get("module"));
  const value = await module.run({ say: (text) => post("say", text), asked: JSON.parse(asked.get("asked") ?? "{}") });
  await finish(value);
} catch (error) {
  post("error", words(error));
  await finish(null);
}
