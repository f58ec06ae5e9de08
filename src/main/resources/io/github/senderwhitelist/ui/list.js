/** A list's screen: search, pages, add with preview, remove several, one entry's history, export. */
import {ask, query, parse, entryPath} from './api.js';
import {html, nothing, redraw, set, run, latest, search, shown, named, codes, number, many, day, ago, origin, error, choice, meaning, download} from './ui.js';
import {conditions, addForm, change} from './add.js';

const PAGE = 100;
const FILTERS = [['', 'All entries'], ['ending', 'Ending within 30 days'], ['used', 'Used, the last first'], ['rescued', 'Kept out of the spam folder'],
  ['unused', 'Not used for 180 days']];

let state = {};

const task = work => () => run(state, work);
const path = (now, more) => '/' + encodeURIComponent(now.name) + more;

/** Begins the screen of a list. */
export async function load(name, list) {
  state = {name, isFile: list?.kind === 'file', rows: [], next: null, search: '', filter: '', usage: new Map(),
    since: null, server: null, chosen: new Set(), removed: null, open: null};
  await read();
}

/** Returns rows of what is searched for, and where the next ones begin. */
async function page(now, after, limit) {
  if (now.filter && now.filter !== 'ending') {
    const answer = await ask(path(now, '/usage') + query({after, limit: Math.min(limit, 1000), rescued: now.filter === 'rescued' ? 'true' : null,
      unusedFor: now.filter === 'unused' ? '180d' : null}));
    return {rows: keep(now, answer).map(line => ({...parse(line.entry), origin: line.origin, isUsage: true})), next: answer.next};
  }
  const answer = await ask(path(now, '/entries') + query({prefix: now.search, after, limit, endsWithin: now.filter ? '30d' : null}));
  return {rows: answer.lines.map(parse), next: answer.next};
}

/** Reads rows until a page is full; a search for a domain answers what it found so far. */
const read = after => latest(state, async now => {
  if (!after) Object.assign(now, {rows: [], chosen: new Set(), next: null});
  const until = Date.now() + 3000;
  const rows = [];
  do {
    const some = await page(now, after, PAGE - rows.length);
    rows.push(...some.rows);
    after = some.next;
  } while (after && rows.length < PAGE && Date.now() < until);
  if (now.usage.size === 0) await ask(path(now, '/usage?limit=1000')).then(answer => keep(now, answer), () => {});
  return {rows: [...now.rows, ...rows], next: after};
});

const show = what => { Object.assign(state, what); return read(); };

/** Remembers what a usage answer says of lines. */
function keep(now, answer) {
  Object.assign(now, {since: answer.countingSince, server: answer.server});
  for (const line of answer.lines) now.usage.set(line.entry + ' ' + line.origin, line);
  return answer.lines;
}

const same = (a, b) => a.id === b.id && a.origin === b.origin;
/** Removes the chosen entries, one by one, and keeps their lines. */
const removeChosen = task(async now => {
  now.removed = [];
  const chosen = now.rows.filter(row => now.chosen.has(row));
  try {
    for (const entry of chosen) {
      if (!now.rows.includes(entry)) continue;
      const path = entryPath(now.name, entry.key, entry.to);
      const {lines} = await ask(path);
      await ask(path + query({origin: entry.origin}), {method: 'DELETE'});
      now.removed.push(...lines.filter(line => parse(line).origin === entry.origin));
      now.rows = now.rows.filter(row => !same(row, entry));
    }
  } finally {
    Object.assign(now, {chosen: new Set(), open: null});
  }
});

/** Adds the removed lines again. */
const addAgain = task(async now => {
  const answer = await ask(path(now, '/entries'), {method: 'PATCH', body: now.removed.join('\n') + '\n', type: 'text/plain'});
  if (answer.complaints?.length) throw new Error(answer.complaints.join(' '));
  now.removed = null;
  if (now === state) await read();
});

/** Hands all that is searched for to the browser as a text list. */
const exportAll = task(async now => {
  const sought = {...now};
  const lines = [];
  let after = null;
  do {
    const some = await page(sought, after, 10000);
    some.rows.forEach(row => lines.push(row.line));
    after = some.next;
  } while (after);
  download(now.name, lines);
});

/** Opens one entry, with its history or the lines of its file. */
const open = entry => task(async now => {
  const shown = now.open = {entry, lines: [], changes: [], numbers: []};
  const answer = await ask(entryPath(now.name, entry.key, entry.to)).catch(() => ({lines: [entry.line]}));
  shown.lines = answer.lines;
  shown.numbers = answer.lineNumbers ?? [];
  if (!now.isFile) shown.changes = (await ask(entryPath(now.name, entry.key) + '/history')).changes;
})();

function expiry(entry) {
  if (!entry.until) return nothing;
  const left = (new Date(entry.until) - Date.now()) / 86400000 + (entry.until.includes('T') ? 0 : 1);
  return left <= 0 ? html`<span class="badge bad">ended</span>`
    : left <= 14 ? html`<span class="badge warn">${left < 1 ? 'ends within a day' : 'ends in ' + many(Math.floor(left), 'day')}</span>` : html`until ${day(entry.until)}`;
}

function row(entry) {
  const used = state.usage.get(entry.id + ' ' + entry.origin);
  const toggle = event => { event.target.checked ? state.chosen.add(entry) : state.chosen.delete(entry); redraw(); };
  return html`<tr>
    ${state.isFile ? nothing : html`<td class="pick"><input type="checkbox" aria-label=${'Choose ' + shown(entry.id)}
      .checked=${state.chosen.has(entry)} @change=${toggle}></td>`}
    <td><button type="button" class="link entry" @click=${() => open(entry)}>${named(entry.key)}</button>
      ${entry.denied ? html`<span class="badge bad">Never listed</span>` : nothing}
      ${entry.to ? html`<div class="quiet">to ${named(entry.to)}</div>` : nothing}
      ${entry.note ? html`<div class="note">${named(entry.note)}</div>` : nothing}</td>
    <td>${origin(entry.origin)}</td>
    <td class="quiet">${expiry(entry)} ${conditions(entry)}</td>
    ${state.since ? html`<td class="n" data-label="Used">${used ? number(used.used) : nothing}</td>
    <td class="n" data-label="Rescued">${used?.rescued ? number(used.rescued) : nothing}</td>
    <td class="n quiet" data-label="Last used">${used?.last ? day(used.last) : nothing}</td>` : nothing}</tr>`;
}

const removedBox = () => html`<div class="message good" role="status"><p><b>${many(state.removed.length, 'line')} removed.</b>
    To add ${state.removed.length === 1 ? 'it' : 'them'} again later, keep this:</p>
  <textarea readonly rows=${Math.min(8, state.removed.length)} aria-label="Removed lines" .value=${state.removed.join('\n')}></textarea>
  <div class="actions"><button type="button" @click=${addAgain}>Add again now</button>
    <button type="button" class="link" @click=${() => set(state, {removed: null})}>Done</button></div></div>`;

const closed = () => set(state, {open: null});

/** The dialog of one entry. */
function dialog() {
  const {entry, lines, changes, numbers} = state.open;
  return html`<dialog aria-labelledby="entry-title" @close=${closed}>
    <h2 id="entry-title">${named(entry.id)}</h2>
    ${error(state.error)}
    <ul class="lines">${lines.map(line => html`<li><p>${shown(meaning(parse(line)))}</p><code>${shown(line)}</code></li>`)}</ul>
    ${state.isFile ? html`<p>This list is a file: edit ${numbers.length ? (numbers.length > 1 ? 'lines ' : 'line ') + numbers.join(', ') : 'the line'}
      in it. James takes the file again by itself.</p>`
      : html`<h3>History</h3>${changes.length ? html`<ul class="lines">${changes.map(change => html`<li>
        <p>${ago(change.at)} by ${named(change.who)} ${origin(change.origin)}</p>
        ${change.lines.length ? codes(change.lines) : html`<span class="quiet">removed</span>`}</li>`)}</ul>`
        : html`<p class="quiet">${state.busy ? 'Reading…' : 'None is kept.'}</p>`}`}
    <div class="actions"><form method="dialog"><button class="main" autofocus>Close</button></form>
      ${state.isFile || entry.origin !== 'admin' ? nothing
        : html`<button type="button" @click=${() => { state.open = null; change(state.name, entry); }}>Change</button>`}
      ${state.isFile ? nothing : html`<button type="button" class="danger" @click=${() => { state.chosen = new Set([entry]); removeChosen(); }}>Remove</button>`}</div>
  </dialog>`;
}

export function view() {
  const chosen = state.chosen.size;
  return html`<main>
    <p class="path"><a href="#/">Overview</a></p>
    <h1>${named(state.name)}</h1>
    <p class="quiet">${state.isFile ? 'A list in a file: to change it, edit the file. Each entry says its line.' : 'Changes are active at once on this server; others follow.'}
      ${state.since ? html` Counted since ${day(state.since)}${state.server ? ', on this server only' : ''}.` : nothing}</p>
    ${state.isFile ? nothing : addForm(state.name, read)}
    <section class="card" aria-label="Entries">
      ${search(['Search', 'ali… or @example.com or @.example.com', 'Search'], state.search, sought => show({search: sought, filter: ''}), html`
        ${choice('Show', 'filter', state.since ? FILTERS : FILTERS.slice(0, 2), state.filter, event => show({filter: event.target.value, search: ''}))}
        <button type="button" @click=${exportAll} ?disabled=${state.busy}>Export</button>`)}
      <div aria-live="polite">${state.open ? nothing : error(state.error)}${state.removed?.length ? removedBox() : nothing}</div>
      ${chosen ? html`<div class="bar"><span>${many(chosen, 'entry', 'entries')} chosen</span>
        <button type="button" class="danger" @click=${removeChosen}>Remove</button></div>` : nothing}
      ${state.rows.length ? html`<table><thead><tr>${state.isFile ? nothing : html`<th class="pick"><span class="sr">Choose</span></th>`}
          <th>Sender</th><th>Added by</th><th>Conditions</th>${state.since ? html`<th class="n">Used</th><th class="n" title="Kept out of the spam folder">Rescued</th><th class="n">Last used</th>` : nothing}</tr></thead>
        <tbody>${state.rows.map(row)}</tbody></table>`
        : state.error ? nothing : html`<p class="empty">${state.busy ? 'Reading…' : state.search || state.filter ? 'No such entry.' : 'No entry yet.'}</p>`}
      ${state.next ? html`<div class="actions"><button type="button" ?disabled=${state.busy} @click=${() => read(state.next)}>
        ${state.rows.length ? 'More' : 'Go on searching'}</button></div>` : nothing}
    </section>
    ${state.open ? dialog() : nothing}</main>`;
}
