// Pages are made by the server. This script fetches them anew and puts their parts (data-part) in place:
// when the journal grows, when a form is sent, when a table is dropped. It makes no HTML of its own.
"use strict";

const body = document.body;
const connection = document.getElementById("connection");
const aloud = document.getElementById("aloud");
const PAUSE = 700; // milliseconds between two looks, at least
const QUIET = 8000; // between two sentences that are read aloud

document.documentElement.classList.add("scripted");

// What is wrong with the connection; nothing if it is well.
function say(trouble) {
  if (connection.textContent !== trouble) connection.textContent = trouble;
  connection.hidden = !trouble;
}

let spoken = 0;
function speak(text) {
  if (!text || text === aloud.textContent) return;
  if (Date.now() - spoken < QUIET && text.startsWith("Confidence")) return;
  spoken = Date.now();
  aloud.textContent = text;
}

const wait = (time) => new Promise((done) => setTimeout(done, time));

// A page as it is now; an error if the server does not give one.
async function load(address, request) {
  const answer = await fetch(address, { credentials: "same-origin", ...request });
  const kind = answer.headers.get("content-type") || "";
  if (!kind.startsWith("text/html") || answer.status >= 500 || answer.status === 429) {
    throw new Error(`the server answered ${answer.status}`);
  }
  return { answer, page: new DOMParser().parseFromString(await answer.text(), "text/html") };
}

// Put the parts of a page in place. Parts that it lacks stay as they are: nothing ever goes blank.
function put(page) {
  for (const old of document.querySelectorAll("[data-part]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh || old.isEqualNode(fresh)) continue;
    const open = [...old.querySelectorAll("details[open]")].map((one) => one.id);
    const focus = old.contains(document.activeElement) ? document.activeElement : null;
    const taken = document.importNode(fresh, true);
    for (const id of open) taken.querySelector(`#${id}`)?.setAttribute("open", "");
    old.replaceWith(taken);
    if (focus?.name) taken.querySelector(`[name="${focus.name}"]`)?.focus({ preventScroll: true });
    speak(taken.dataset.said);
  }
}

// Live: the journal's position comes as an event, and the page is fetched anew.
let due = false;
let looking = false;
async function look() {
  due = true;
  if (looking) return;
  looking = true;
  while (due) {
    due = false;
    try {
      const { answer, page } = await load(location.href);
      if (answer.redirected) location.reload();
      put(page);
      say("");
    } catch {
      say("Not connected. What you see is the last that was known; trying again…");
      due = true;
      await wait(1000);
    }
    await wait(PAUSE);
  }
  looking = false;
}

// A page that nobody sees lets go of its stream: browsers keep six connections to a server, for all pages together.
function follow(address) {
  if (document.hidden) {
    document.addEventListener("visibilitychange", () => follow(address), { once: true });
    return;
  }
  const source = new EventSource(address);
  const leave = () => {
    source.close();
    follow(address);
  };
  document.addEventListener("visibilitychange", leave, { once: true });
  source.addEventListener("progress", look);
  source.addEventListener("open", () => say(""));
  source.addEventListener("error", () => {
    say("Not connected. What you see is the last that was known; trying again…");
    if (source.readyState !== EventSource.CLOSED) return; // browsers come back by themselves, unless refused
    document.removeEventListener("visibilitychange", leave);
    setTimeout(() => follow(address), 2000);
  });
}

if (body.dataset.live) follow(body.dataset.live);
if (body.dataset.every) {
  setInterval(() => document.hidden || look(), 1000 * Number(body.dataset.every));
}

// Forms: sent without leaving the page, and again until the server has them. To send twice is harmless.
let sending = false;
async function send(form, button, patience) {
  if (sending) return;
  sending = true;
  const data = new FormData(form);
  if (button?.name) data.append(button.name, button.value);
  const label = button?.textContent;
  if (button?.dataset.slow) button.textContent = button.dataset.slow;
  form.setAttribute("aria-busy", "true");
  try {
    for (;;) {
      try {
        const { answer, page } = await load(form.action, { method: "POST", body: data });
        say("");
        if (answer.redirected) location.assign(answer.url);
        else put(page);
        return;
      } catch {
        say(patience ? "Not connected. Your answer is kept and sent again…" : "The server does not answer: try again.");
        if (!patience) return;
        await wait(1000);
      }
    }
  } finally {
    sending = false;
    form.removeAttribute("aria-busy");
    if (button?.dataset.slow) button.textContent = label;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const answers = form.hasAttribute("data-swap");
  if (!answers && !form.hasAttribute("data-look")) return;
  event.preventDefault();
  send(form, event.submitter, answers);
});

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
});

// The form for a new study: a file becomes the text of the table, and every change is looked at.
const begin = document.querySelector("form[data-look]");
if (begin) {
  let timer = 0;
  const preview = (time) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (sending) preview(300);
      else if (begin.elements.table.value.trim()) send(begin, { name: "do", value: "look", dataset: {} });
    }, time);
  };
  const take = async (file) => {
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    const table = begin.elements.table;
    try {
      table.value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      begin.elements.file.value = ""; // it is in the table now
    } catch {
      table.value = ""; // no text: the server says what is wrong with the file
      await send(begin, { name: "do", value: "look", dataset: {} });
      return;
    }
    document.getElementById("preview").replaceChildren(); // its choice of names goes with the old table
    const name = document.getElementById("name");
    if (!name.value) name.value = file.name.replace(/\.\w+$/, "");
    preview(0);
  };
  begin.addEventListener("input", (event) => {
    if (event.target.name === "file") take(event.target.files[0]);
    else if (!["name", "effect"].includes(event.target.name)) preview(event.target.type === "radio" ? 0 : 500);
  });
  const zone = begin.querySelector("[data-drop]");
  for (const kind of ["dragover", "dragleave", "drop"]) {
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", kind === "dragover");
      if (kind === "drop") take(event.dataTransfer.files[0]);
    });
  }
}
