// The workbench's script: forms without leaving the page, long work, parts that come later, charts, uploads.
// Every page works without it, but for uploads and charts with values to point at.
"use strict";

const TARGETS = ["#content", "#plan"]; // what a new answer replaces
const SOON = 250; // milliseconds until a ticked box is sent
let asked = 0; // the newest request: an older answer that comes later is thrown away

function remembered() {
  const here = document.activeElement;
  if (!here || here === document.body) return null;
  return { id: here.id, name: here.name, value: here.type === "checkbox" || here.type === "radio" ? here.value : null, label: here.textContent, tag: here.tagName,
    from: here.selectionStart, to: here.selectionEnd, action: here.form ? here.form.getAttribute("action") : null };
}

function refocus(last) {
  if (!last) return;
  const same = (one) => one.tagName === last.tag && (last.action === null || (one.form && one.form.getAttribute("action") === last.action));
  let found = last.id ? document.getElementById(last.id) : null;
  if (!found && last.name) found = [...document.getElementsByName(last.name)].find((one) => same(one) && (last.value === null || one.value === last.value));
  if (!found && last.tag === "BUTTON") found = [...document.querySelectorAll("button")].find((one) => same(one) && one.textContent === last.label);
  if (!found) found = document.getElementById("content");
  found.focus({ preventScroll: true });
  if (last.from !== undefined && last.from !== null && found.setSelectionRange) { try { found.setSelectionRange(last.from, last.to); } catch { /* a number */ } }
}

// What somebody has typed since a form was sent is not on the page that comes back: it is put there again.
const sent = new WeakMap(); // field: what it held when it was sent
const TYPED = "input[type=text][id], input[type=number][id], input[type=search][id], textarea[id]";
// Which form it is: a field of the same id may belong to another part of the plan by now.
const formOf = (field) => field.form && [field.form.getAttribute("action"), ...[...field.form.querySelectorAll("input[type=hidden]")].map((one) => one.name + "=" + one.value)].join("\n");
function unsaved() {
  return [...document.querySelectorAll("#content " + TYPED.replaceAll(", ", ", #content "))]
    .filter((one) => one.value !== (sent.has(one) ? sent.get(one) : one.defaultValue)).map((one) => [one.id, one.value, formOf(one)]);
}
function retype(typed) {
  for (const [id, value, form] of typed) {
    const field = document.getElementById(id);
    if (!field || field.value === value || formOf(field) !== form) continue;
    field.value = value;
    if (!field.form || !field.form.hasAttribute("data-live")) continue;
    const save = () => field.isConnected && field.value !== field.defaultValue && !sent.has(field) && field.form.requestSubmit();
    if (field === document.activeElement) field.addEventListener("blur", save, { once: true }); else setTimeout(save, SOON);
  }
}

async function take(response, mine) {
  const text = await response.text();
  if (mine !== asked) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!page.querySelector("#content")) { location.href = response.url; return; }
  const last = remembered(), typed = unsaved();
  const opened = new Set([...document.querySelectorAll("details[open][id]")].map((one) => one.id));
  for (const target of TARGETS) {
    const old = document.querySelector(target), fresh = page.querySelector(target);
    if (old && fresh) old.replaceWith(document.importNode(fresh, true));
  }
  for (const id of opened) { const one = document.getElementById(id); if (one) one.open = true; }
  const nav = document.querySelector("nav"), fresh = page.querySelector("nav");
  if (nav && fresh) nav.replaceWith(document.importNode(fresh, true));
  document.title = page.title;
  document.body.dataset.page = page.body.dataset.page;
  const address = new URL(response.url);
  if (address.pathname !== location.pathname || address.search !== location.search) {
    history.pushState(null, "", response.url);
    here = address.pathname + address.search;
  }
  refocus(last);
  retype(typed);
  enliven(document);
}

async function send(form, button) {
  const mine = ++asked;
  const fields = new URLSearchParams(new FormData(form));
  for (const field of form.elements) if (field.matches(TYPED)) sent.set(field, field.value);
  if (button && button.name) fields.append(button.name, button.value);
  const main = document.getElementById("content");
  main.setAttribute("aria-busy", "true");
  try {
    const get = form.method.toLowerCase() === "get";
    const address = (button && button.getAttribute("formaction")) || form.getAttribute("action") || location.pathname;
    const response = await fetch(get ? address + "?" + fields : address, get ? {} : { method: "POST", body: fields });
    await take(response, mine);
  } catch {
    if (mine === asked) say("The workbench does not answer. Is its terminal still open?");
  } finally { const now = document.getElementById("content"); if (now && mine === asked) now.removeAttribute("aria-busy"); }
}

function say(words) {
  const place = document.getElementById("notices");
  const box = document.createElement("div");
  box.className = "box bad";
  box.textContent = words;
  place.replaceChildren(box);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) { event.preventDefault(); return; }
  if (form.hasAttribute("data-plain")) return;
  event.preventDefault();
  send(form, event.submitter);
});

const soon = new WeakMap(); // form: when it is sent; another form does not hold it up
document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (!form || !form.hasAttribute("data-live")) return;
  clearTimeout(soon.get(form));
  soon.set(form, setTimeout(() => form.isConnected && form.requestSubmit(), SOON));
});

// Back and forward show another page; a link within this one (to skip the menu) leaves it, and what is typed, as it is.
let here = location.pathname + location.search;
window.addEventListener("popstate", () => { if (location.pathname + location.search !== here) location.reload(); });

// Parts that take longer than the page: they come one after the other.
async function load(place) {
  place.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(place.dataset.load);
    const text = await response.text();
    if (!place.isConnected) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.querySelector("#part") || page.querySelector("#content") || page.body;
    const told = fresh.id === "part" ? page.querySelectorAll("#notices > *") : []; // what came in its way is said here
    place.replaceChildren(...[...told, ...fresh.childNodes].map((one) => document.importNode(one, true)));
    place.removeAttribute("data-load");
    enliven(place);
  } catch { place.textContent = "This part did not come. Reload the page to try again."; }
  place.setAttribute("aria-busy", "false");
}

async function watch(place) {
  const page = place.dataset.job;
  while (place.isConnected) {
    let told;
    try { told = await (await fetch("/jobs/" + page)).json(); } catch { await rest(2000); continue; }
    if (told.state !== "running") {
      if (place.isConnected) { const mine = ++asked; await take(await fetch(location.href), mine); }
      return;
    }
    place.querySelector("[data-what]").textContent = told.what;
    place.querySelector("[data-seconds]").textContent = told.seconds;
    const bar = place.querySelector("progress");
    if (told.total > 0) { bar.max = told.total; bar.value = Math.max(0, told.number - 1) + (told.share || 0); } else bar.removeAttribute("value");
    await rest(500);
  }
}

// A chart that is wider than a phone is moved sideways: with the keyboard, too.
function reachable(figure) {
  if (figure.scrollWidth <= figure.clientWidth) return;
  figure.tabIndex = 0;
  figure.setAttribute("aria-label", "Chart");
}

const rest = (time) => new Promise((done) => setTimeout(done, time));

// Charts that answer to the pointer.
let vega = null;
function vegaReady() {
  vega = vega || new Promise((done, fail) => {
    const script = document.createElement("script");
    script.type = "module";
    script.src = "/static/vega.js";
    script.onload = done;
    script.onerror = fail;
    document.head.append(script);
  });
  return vega;
}

async function draw(place) {
  const mark = place.dataset.chart, spec = JSON.parse(document.getElementById(mark).textContent);
  place.removeAttribute("data-chart");
  const here = document.getElementById(mark + "-here");
  try {
    await vegaReady();
    const shown = await window.vegaEmbed(here, spec, { ast: true, actions: false, renderer: "svg" });
    for (const drawn of here.querySelectorAll("svg")) drawn.setAttribute("aria-hidden", "true"); // its label says it
    reachable(place);
    shown.view.addEventListener("click", (_, item) => {
      const address = item && item.datum && item.datum.href_here;
      if (address) go(address);
    });
  } catch { here.textContent = here.getAttribute("aria-label"); }
}

async function go(address) {
  const mine = ++asked;
  await take(await fetch(address), mine);
}

// A file goes up as it is, with a bar.
function upload(input) {
  input.addEventListener("change", () => {
    const file = input.files[0];
    if (!file) return;
    const bar = document.getElementById(input.dataset.bar), told = document.getElementById(input.dataset.told);
    const most = Number(input.dataset.most);
    if (file.size > most) { told.textContent = "The file is larger than " + Math.round(most / 1048576) + " MB. Open it by its path instead."; return; }
    const request = new XMLHttpRequest();
    request.open("POST", input.dataset.upload + (input.dataset.upload.includes("?") ? "&" : "?") + "name=" + encodeURIComponent(file.name));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-Mark", input.dataset.mark);
    bar.hidden = false;
    request.upload.onprogress = (event) => { bar.max = event.total; bar.value = event.loaded; told.textContent = Math.round(100 * event.loaded / event.total) + "% sent"; };
    request.onload = () => {
      if (request.status >= 400 && request.responseText !== "Refused.") { told.textContent = request.responseText; bar.hidden = true; return; } // the page would not say why
      const after = new URL(input.dataset.after || location.pathname, location.href);
      const same = after.pathname === location.pathname && after.search === location.search;
      location.href = after;
      if (same && after.hash) location.reload(); // else only the place on this page would change
    };
    request.onerror = () => { told.textContent = "The file did not arrive. Try again."; };
    request.send(file);
  });
}

function enliven(part) {
  for (const place of part.querySelectorAll("[data-job]")) watch(place);
  for (const figure of part.querySelectorAll("figure.chart:not([data-chart])")) reachable(figure);
  for (const place of part.querySelectorAll("[data-chart]")) draw(place);
  for (const input of part.querySelectorAll("[data-upload]")) upload(input);
  for (const button of part.querySelectorAll("[data-live] .only-without-script")) button.hidden = true;
  (async () => { for (const place of part.querySelectorAll("[data-load]")) await load(place); })();
}

document.addEventListener("DOMContentLoaded", () => enliven(document));
