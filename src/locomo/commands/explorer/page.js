"use strict";
// Dataset text only ever enters the page as text nodes and values, never as HTML. Where it stands, `dir` is
// auto: its own letters say whether it is read from the right.

const NEAR = 2; // turns shown before and after one that matters
const CHUNK = 60; // questions added to the list at a time
const data = JSON.parse(byId("data").textContent);
const labels = new Map(data.categories);
const questions = data.conversations.flatMap((conversation) =>
  conversation.questions.map((question) => unpack(conversation, question)));
const byName = new Map(questions.map((question) => [question.id, question]));
const shownArms = new Set(data.arms);

let found = questions; // the questions that pass the filters
let first = 0; // the list shows them from this place
let last = 0; // up to, but without, this place
let current = null; // the question that is open
let visible = new Set(); // the turns of its conversation that are shown

function byId(id) {
  return document.getElementById(id);
}

function element(tag, properties, ...children) {
  const { role, aria = {}, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  if (role) made.setAttribute("role", role);
  for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, value);
  made.append(...children);
  return made;
}

function drawing(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function unpack(conversation, question) {
  const named = question.answers.map((answer, place) => [data.arms[place], answer]);
  // An arm that failed has an error in place of an answer; it is not a wrong answer.
  const failures = named.filter(([, answer]) => typeof answer === "string");
  const answered = named.filter(([, answer]) => typeof answer !== "string");
  const answers = answered.map(([arm, [reply, f1, recall, confidence, abstained, cited]]) => ({
    arm,
    reply: data.replies[reply],
    f1,
    recall,
    confidence,
    abstained: abstained === 1,
    cited: question.cited[cited],
    places: question.cited[cited].flatMap(placesOf),
    outcome: f1 === 1 ? "correct" : f1 === 0 ? "wrong" : "partly",
  }));
  const id = `${conversation.id}/${question.index}`;
  const text = `${id}\n${question.question}\n${question.answer}`.toLowerCase();
  const evidencePlaces = new Set(question.evidence.flatMap(([, cite]) => placesOf(cite)));
  return { ...question, conversation, id, text, answers, failures, evidencePlaces };
}

/** The turns of a cite: the place of one, a session with its first and last place, or null or a text without any. */
function placesOf(cite) {
  if (typeof cite === "number") return [cite];
  if (cite === null || typeof cite === "string") return [];
  const [, from, to] = cite;
  return Array.from({ length: to - from + 1 }, (_, more) => from + more);
}

/** The names of two speakers. Each is isolated, so that names in Arabic keep their order in a line in English. */
function speakers(conversation) {
  return conversation.speakers.slice(0, 2).map((name) => `\u2068${name}\u2069`);
}

function shownAnswers(question) {
  return question.answers.filter((answer) => shownArms.has(answer.arm));
}

// ---- filters -------------------------------------------------------------------------------------

const OUTCOMES = {
  correct: (answer) => answer.outcome === "correct",
  partly: (answer) => answer.outcome === "partly",
  wrong: (answer) => answer.outcome === "wrong",
  abstains: (answer) => answer.abstained,
  answers: (answer) => !answer.abstained,
};
const CHOICES = ["category", "sample", "arm", "outcome", "one", "other"];

function fillChoices() {
  const count = (test) => questions.filter(test).length.toLocaleString("en");
  const options = (id, first, values) =>
    byId(id).append(...[["", first], ...values].map(([value, text]) => new Option(text, value)));
  options("category", "all", data.categories.map(([number, label]) =>
    [number, `${label} (${number}): ${count((question) => question.category === number)}`]));
  options("sample", "all", data.conversations.map((conversation) =>
    [conversation.id, `${conversation.id}: ${speakers(conversation).join(", ")}`]));
  const arms = data.arms.map((arm) => [arm, arm]);
  options("arm", "any shown arm", arms);
  options("one", "–", [["*", "any shown arm"], ...arms]);
  options("other", "any shown arm", arms);
  byId("arms").append(...data.arms.map((arm) => element("label", {},
    element("input", { type: "checkbox", name: "shown", value: arm, checked: true, defaultChecked: true }),
    ` ${arm}`)));
}

function matcher() {
  const chosen = Object.fromEntries(CHOICES.map((id) => [id, byId(id).value]));
  const text = byId("search").value.trim().toLowerCase();
  const among = (question, arm) => (arm && arm !== "*"
    ? question.answers.filter((answer) => answer.arm === arm)
    : shownAnswers(question));
  const disagree = (question) => among(question, chosen.one).some((one) =>
    among(question, chosen.other).some((other) => one.f1 !== other.f1));
  return (question) =>
    (!chosen.category || question.category === Number(chosen.category))
    && (!chosen.sample || question.conversation.id === chosen.sample)
    && question.text.includes(text)
    && (!chosen.outcome || among(question, chosen.arm).some(OUTCOMES[chosen.outcome]))
    && (!chosen.one || disagree(question));
}

function applyFilters() {
  found = questions.filter(matcher());
  const active = CHOICES.filter((id) => byId(id).value !== "").length
    + (shownArms.size < data.arms.length ? 1 : 0);
  byId("active").textContent = active ? `(${active} set)` : "";
  const [some, all] = [found.length, questions.length].map((number) => number.toLocaleString("en"));
  byId("count").textContent = `${some} of ${all} questions`;
  renderList(0);
  byId("results").scrollTop = 0;
  rove(links()[0]);
}

function readArms() {
  shownArms.clear();
  for (const box of document.getElementsByName("shown")) if (box.checked) shownArms.add(box.value);
  applyFilters();
  if (!current) return;
  markCurrent();
  renderDetail();
}

// ---- the list ------------------------------------------------------------------------------------

function renderList(from) {
  first = last = Math.max(0, from);
  byId("list").replaceChildren();
  renderAfter();
}

function renderAfter() {
  const next = found.slice(last, last + CHUNK);
  last += next.length;
  byId("list").append(...next.map(item));
  byId("earlier").hidden = first === 0;
}

function renderBefore() {
  const from = Math.max(0, first - CHUNK);
  byId("list").prepend(...found.slice(from, first).map(item));
  first = from;
  byId("earlier").hidden = first === 0;
}

function item(question) {
  const answers = shownAnswers(question);
  const correct = answers.filter((answer) => answer.outcome === "correct").length;
  const aria = question === current ? { current: true } : {};
  const link = element("a", { href: `#${question.id}`, tabIndex: -1, aria },
    element("span", { className: "question", dir: "auto" }, question.question),
    element("span", { className: "about" },
      element("span", {}, `${question.id} · ${labels.get(question.category)} · ${correct}/${answers.length} correct`),
      bars(answers)));
  return element("li", {}, link);
}

/** The F1 of each answer as a bar. */
function bars(answers) {
  const height = 16;
  const paths = ["correct", "partly", "wrong"].map((outcome) => drawing("path", {
    class: outcome,
    d: answers.map((answer, place) => {
      const up = 3 + (height - 3) * answer.f1;
      return answer.outcome === outcome ? `M${5 * place} ${height}v${-up}h4v${up}z` : "";
    }).join(""),
  }));
  return drawing("svg", { class: "bars", width: 5 * answers.length, height, "aria-hidden": true }, ...paths);
}

function links() {
  return byId("list").getElementsByTagName("a");
}

/** Tab reaches only one link of the list; the arrow keys reach the others. */
function rove(link) {
  for (const other of links()) other.tabIndex = -1;
  if (link) link.tabIndex = 0;
}

function linkOf(question) {
  const place = found.indexOf(question);
  if (place < 0) return null;
  // The list is redrawn around a distant question: drawing all questions in between is slow.
  if (place < first - CHUNK || place >= last + CHUNK) renderList(place - CHUNK / 2);
  if (place < first) renderBefore();
  if (place >= last) renderAfter();
  return links()[place - first];
}

function markCurrent() {
  byId("list").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = current && linkOf(current);
  link?.setAttribute("aria-current", "true");
  link?.scrollIntoView({ block: "nearest" });
  rove(link ?? links()[0]);
}

const PAGE_STEP = 10;
const MOVES = {
  ArrowDown: (place) => place + 1,
  ArrowUp: (place) => place - 1,
  PageDown: (place) => place + PAGE_STEP,
  PageUp: (place) => place - PAGE_STEP,
  Home: () => 0,
  End: () => found.length - 1,
};

function moveInList(event) {
  const move = MOVES[event.key];
  const from = event.target.closest("#list li");
  if (!move || !from || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const place = move(first + Array.prototype.indexOf.call(byId("list").children, from));
  const link = linkOf(found[Math.max(0, Math.min(found.length - 1, place))]);
  rove(link);
  link.focus();
}

// ---- one question --------------------------------------------------------------------------------

function renderDetail() {
  const { conversation, category } = current;
  const trap = category === data.adversarial;
  const evidence = current.evidence.map(([id, cite]) => (cite === null
    ? element("span", { className: "chip unknown", title: "this id names no turn" }, `${id} (no turn)`)
    : chip(cite)));
  byId("detail").replaceChildren(
    element("nav", { aria: { label: "Questions" } },
      element("button", { type: "button", id: "back", onclick: back }, "← Questions"),
      step("Previous", -1),
      step("Next", 1)),
    element("p", { className: "about" },
      element("a", { href: `#${current.id}`, title: "link to this question" }, current.id),
      ` · ${labels.get(category)} (${category}) · ${speakers(conversation).join(" and ")}`),
    element("h2", { id: "heading", tabIndex: -1, dir: "auto" }, current.question),
    element("dl", {},
      element("dt", {}, trap ? "Trap" : "Answer"),
      element("dd", {}, element("div", { dir: "auto" }, current.answer || "none"), ...(trap
        ? [element("small", {}, `${current.answer && "The misleading answer that the dataset offers. "}A right reply abstains.`)]
        : [])),
      element("dt", {}, "Evidence"),
      element("dd", { className: "chips" }, ...(evidence.length ? evidence : ["none"]))),
    element("h3", {}, "Replies"),
    replies(),
    ...current.failures.filter(([arm]) => shownArms.has(arm)).map(([arm, error]) =>
      element("p", {}, `${arm} failed, and is not scored: `, element("bdi", {}, error))),
    element("h3", {}, "In the conversation"),
    reading(),
    element("ol", { id: "turns", aria: { label: "Turns" } }));
  chooseTurns();
}

function step(text, by) {
  const next = found[found.indexOf(current) + by];
  const known = found.includes(current) && next;
  return element("button", { type: "button", disabled: !known, onclick: () => go(by) }, text);
}

function replies() {
  const head = ["arm", "F1", "conf.", "recall", "reply", "cited, best first"];
  return element("table", { role: "table" },
    element("thead", { role: "rowgroup" },
      element("tr", { role: "row" }, ...head.map((name) => element("th", { role: "columnheader", scope: "col" }, name)))),
    element("tbody", { role: "rowgroup" }, ...shownAnswers(current).map(replyRow)));
}

function replyRow(answer) {
  const cell = (className, ...children) => element("td", { role: "cell", className }, ...children);
  const cited = answer.cited.length ? answer.cited.map(chip) : ["none"];
  return element("tr", { role: "row", className: answer.outcome },
    element("th", { role: "rowheader", scope: "row" }, answer.arm),
    cell("number score", answer.f1.toFixed(3), element("small", {}, answer.outcome)),
    cell("number confidence", answer.confidence.toFixed(2)),
    cell("number recall", answer.recall?.toFixed(2) ?? "-"),
    cell(answer.abstained ? "reply abstained" : "reply", element("div", { dir: "auto" }, answer.reply)),
    cell("chips", ...cited));
}

function isEvidence(place) {
  return current.evidencePlaces.has(place);
}

function isEvidenceSession(session) {
  return current.evidence.some(([id]) => id.split(":")[0].slice(1) === session.slice(1));
}

/** A button that leads to a turn in the conversation, or to the first of a session; or a text, to unfold. */
function chip(cite) {
  if (typeof cite === "string") {
    return element("details", { className: "chip own", title: "a text of the memory's own" },
      element("summary", { dir: "auto" }, cite));
  }
  const turn = typeof cite === "number";
  const [id, place] = turn ? [current.conversation.turns[cite][0], cite] : cite;
  const marked = turn ? isEvidence(place) : isEvidenceSession(id);
  const title = `${marked ? "evidence; " : ""}go to this ${turn ? "turn" : "session"}`;
  return element("button", { type: "button", className: marked ? "chip evidence" : "chip", title, onclick: () => goToTurn(place) },
    marked ? `★ ${id}` : id);
}

// ---- the conversation ----------------------------------------------------------------------------

function reading() {
  const options = [
    ["*", "evidence and what shown arms cite"],
    ["", "evidence only"],
    ...shownAnswers(current).map(({ arm }) => [arm, `evidence and what ${arm} cites`]),
    ["all", "whole conversation"],
  ].map(([value, text]) => new Option(text, value));
  return element("label", { className: "pick" }, "Read ",
    element("select", { id: "read", onchange: chooseTurns }, ...options));
}

function chooseTurns() {
  const { turns } = current.conversation;
  const choice = byId("read").value;
  visible = new Set(choice === "all" ? turns.keys() : []);
  const cited = shownAnswers(current)
    .filter(({ arm }) => choice === "*" || choice === arm)
    .flatMap((answer) => answer.places);
  for (const place of [...current.evidencePlaces, ...cited]) reveal(place - NEAR, place + NEAR);
  renderTurns();
}

function reveal(from, to) {
  const last = current.conversation.turns.length - 1;
  for (let place = Math.max(0, from); place <= Math.min(last, to); place += 1) visible.add(place);
}

function renderTurns() {
  const { turns, sessions } = current.conversation;
  const citedBy = new Map();
  for (const { arm, places } of shownAnswers(current)) {
    for (const place of new Set(places)) citedBy.set(place, [...(citedBy.get(place) ?? []), arm]);
  }
  const lines = [];
  let session = -1;
  for (let place = 0; place < turns.length; place += 1) {
    if (!visible.has(place)) {
      const from = place;
      while (place + 1 < turns.length && !visible.has(place + 1)) place += 1;
      lines.push(gap(from, place));
      continue;
    }
    if (turns[place][2] !== session) {
      session = turns[place][2];
      lines.push(element("li", { className: "session" }, sessions[session]));
    }
    lines.push(turnLine(place, citedBy.get(place) ?? []));
  }
  byId("turns").replaceChildren(...lines);
}

function turnLine(place, arms) {
  const [id, speaker, , text] = current.conversation.turns[place];
  const marked = isEvidence(place);
  const notes = [];
  if (marked) notes.push(element("span", { className: "tag evidence" }, "★ evidence"));
  if (arms.length) {
    const all = arms.length > 3 && arms.length === shownArms.size;
    notes.push(element("span", { className: "tag" }, `cited by ${all ? "all shown arms" : arms.join(", ")}`));
  }
  const className = ["turn", `speaker-${Math.min(speaker, 1)}`, marked && "evidence", arms.length && "cited"];
  return element("li", { id: `turn-${place}`, className: className.filter(Boolean).join(" "), tabIndex: -1 },
    element("p", { className: "about" },
      element("b", { dir: "auto" }, current.conversation.speakers[speaker]), ` ${id} `, ...notes),
    element("p", { className: "text", dir: "auto" }, text));
}

function gap(from, to) {
  const count = to - from + 1;
  const open = () => {
    reveal(from, to);
    renderTurns();
    byId(`turn-${from}`).focus();
  };
  const text = `Show ${count} turn${count === 1 ? "" : "s"} between`;
  return element("li", { className: "gap" }, element("button", { type: "button", onclick: open }, text));
}

function goToTurn(place) {
  if (!visible.has(place)) {
    reveal(place - NEAR, place + NEAR);
    renderTurns();
  }
  const turn = byId(`turn-${place}`);
  turn.scrollIntoView({ block: "center" });
  turn.focus({ preventScroll: true });
}

// ---- navigation ----------------------------------------------------------------------------------

function go(by) {
  const next = found.includes(current) ? found[found.indexOf(current) + by] : found[0];
  if (next) location.hash = next.id;
}

function back() {
  document.body.classList.remove("reading");
  const link = (current && linkOf(current)) ?? links()[0];
  (link ?? byId("search")).focus();
}

function openFromHash() {
  const name = location.hash.slice(1);
  const before = current;
  current = byName.get(name) ?? null;
  document.body.classList.toggle("reading", name !== "");
  document.title = current ? `${name} · LoCoMo explorer` : "LoCoMo explorer";
  markCurrent();
  if (current) renderDetail();
  else renderWelcome(name);
  byId("detail").scrollTop = 0;
  if (name) byId("heading").focus();
  else if (before) linkOf(before)?.focus();
}

function renderWelcome(name) {
  const again = element("nav", {}, element("button", { type: "button", id: "back", onclick: back }, "← Questions"));
  byId("detail").replaceChildren(
    ...(name ? [again] : []),
    element("h2", { id: "heading", tabIndex: -1 }, name ? `There is no question ${name}` : "Choose a question"),
    element("p", {}, "Every reply of every arm, with its score, its confidence and what it cites."
      + " The bars beside a question are the F1 of the shown arms, in the order of the tables."));
}

function shortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, select")) return;
  if (event.key === "Escape") back();
  if (event.key === "/") {
    event.preventDefault();
    document.body.classList.remove("reading");
    byId("search").focus();
  }
  if (event.key === "j") go(1);
  if (event.key === "k") go(-1);
}

function setArms(checked) {
  for (const box of document.getElementsByName("shown")) box.checked = checked;
  readArms();
}

function listen() {
  const filters = byId("filters");
  filters.addEventListener("input", (event) => (event.target.name === "shown" ? readArms() : applyFilters()));
  filters.addEventListener("submit", (event) => {
    event.preventDefault();
    links()[0]?.focus();
  });
  // The fields get their first values only after this event.
  filters.addEventListener("reset", () => setTimeout(readArms));
  byId("all").addEventListener("click", () => setArms(true));
  byId("none").addEventListener("click", () => setArms(false));
  byId("earlier").addEventListener("click", () => {
    const top = byId("list").firstElementChild;
    renderBefore();
    top.scrollIntoView({ block: "start" });
  });
  byId("list").addEventListener("keydown", moveInList);
  byId("list").addEventListener("click", (event) => {
    // A link to the question that was open does not change the address, so there is no hashchange.
    if (event.target.closest("a")?.hash === location.hash) openFromHash();
  });
  new IntersectionObserver(([end]) => {
    if (end.isIntersecting) renderAfter();
  }).observe(byId("end"));
  document.addEventListener("keydown", shortcut);
  window.addEventListener("hashchange", openFromHash);
}

fillChoices();
listen();
byId("more").open = window.matchMedia("(min-width: 60em)").matches;
applyFilters();
openFromHash();
