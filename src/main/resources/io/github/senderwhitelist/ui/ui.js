/** What all screens are made of: words for values, badges, fields, and tasks with their errors. */
import {html, nothing} from './lit-html.js';

export {html, nothing};

export const redraw = () => document.dispatchEvent(new Event('redraw'));

/** Gives a screen's state values, and shows them. */
export const set = (state, values) => { Object.assign(state, values); redraw(); };

/** Runs a task on a screen's state, though the person goes on to another; what goes wrong is its `error`. */
export async function run(state, task) {
  set(state, {busy: (state.busy || 0) + 1, error: null});
  await task(state).catch(e => { state.error = e.message; });
  set(state, {busy: state.busy - 1});
}

/** Asks for values of a screen's state. Once something else was asked for there, a late answer is dropped. */
export const latest = (state, question) => run(state, async now => {
  const turn = now.turn = {};
  const values = await question(now).catch(e => { if (now.turn === turn) throw e; });
  if (now.turn === turn) Object.assign(now, values);
});

/** Returns what a submitted form's fields have. */
export function fields(event) {
  event.preventDefault();
  return Object.fromEntries([...new FormData(event.target)].map(([name, value]) => [name, value.trim()]));
}

/** Shows text of strangers: what does not show, or turns the writing round, by its number. */
export const shown = text => String(text ?? '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
  c => '[U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + ']');

/** A name or an address, whose direction of writing changes nothing around it. */
export const named = text => html`<bdi>${shown(text)}</bdi>`;

export const codes = lines => lines.map(line => html`<code>${shown(line)}</code>`);

const numbers = new Intl.NumberFormat('en');
const days = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC'});
const moments = new Intl.DateTimeFormat('en-GB',
  {day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'});

export const number = value => value === null || value === undefined ? '–' : numbers.format(value);
export const day = value => value && !isNaN(new Date(value)) ? days.format(new Date(value)) : shown(value);
export const many = (n, one, more = one + 's') => number(n) + ' ' + (n === 1 ? one : more);
export const percent = value => value === null || value === undefined ? 'not measured yet'
  : value === 0 ? 'none' : value < 1e-6 ? 'below 1 in 1,000,000' : value >= 0.0001 ? +(value * 100).toPrecision(2) + ' %' : '1 in ' + number(Math.round(1 / value));

/** A moment: the exact one for who asks, else how long ago. */
export function ago(value) {
  const at = new Date(value);
  if (!value || isNaN(at)) return nothing;
  const seconds = Math.max(0, (Date.now() - at) / 1000);
  const words = seconds < 60 ? 'just now' : seconds < 3600 ? Math.floor(seconds / 60) + ' min ago'
    : seconds < 86400 ? Math.floor(seconds / 3600) + ' h ago' : moments.format(at);
  return html`<time datetime=${at.toISOString()} title=${moments.format(at)}>${words}</time>`;
}

/** What a verdict is called, and its colour. */
const VERDICTS = {listed: ['Listed', 'good'], 'not-listed': ['Not listed', 'plain'], denied: ['Denied', 'bad'],
  unavailable: ['No answer', 'warn']};

export function verdict({verdict, reason}) {
  const [text, colour] = VERDICTS[reason === 'denied' ? reason : verdict] ?? [shown(verdict), 'plain'];
  return html`<span class="badge ${colour}">${text}</span>`;
}

const ORIGINS = {admin: 'Administrator', user: 'User', learned: 'Learned'};

export const origin = name => html`<span class="badge plain">${ORIGINS[name] ?? shown(name)}</span>`;

export const error = text => text ? html`<p class="message bad" role="alert">${shown(text)}</p>` : nothing;

/** What a task has said, or failed with. */
export const told = state => html`<div aria-live="polite">${error(state.error)}
  ${state.said ? html`<p class="message good">${shown(state.said)}</p>` : nothing}</div>`;

/** A form with one field to search by, whose value `done` takes. */
export const search = ([label, example, button], value, done, more = nothing) => html`
  <form class="line" role="search" @submit=${event => done(fields(event).search)}>
    <input name="search" aria-label=${label} placeholder=${example} .value=${value} autocomplete="off" spellcheck="false">
    <button>${button}</button>${more}</form>`;

/** A field with its label. */
export const field = (label, name, more = {}) => html`<label class="field ${more.wide ? 'wide' : ''}"><span>${label}</span>
  <input name=${name} type=${more.type ?? 'text'} .value=${more.value ?? ''} placeholder=${more.example ?? ''}
    ?required=${more.required} autocomplete="off" autocapitalize="off" spellcheck="false"></label>`;

export const choice = (label, name, options, value, change) => html`<label class="field"><span>${label}</span>
  <select name=${name} .value=${value ?? ''} @change=${change ?? nothing}>${options.map(([key, text]) =>
    html`<option value=${key} ?selected=${key === (value ?? '')}>${shown(text)}</option>`)}</select></label>`;

/** Says whom an entry is about, and what of. */
export function meaning(entry) {
  const whom = key => key.startsWith('@.') ? 'every address at subdomains of ' + key.slice(2)
    : key.startsWith('@') ? 'every address at ' + key.slice(1) : key;
  const to = entry.to ? ' to ' + whom(entry.to) : ' to everybody';
  const when = (entry.from ? ' from ' + day(entry.from) : '') + (entry.until ? ' until ' + day(entry.until) : '');
  const auth = {spf: ', if SPF confirms it', dkim: ', if DKIM confirms it', any: ', if SPF or DKIM confirms it',
    none: ', confirmed or not'}[entry.auth] ?? '';
  return (entry.denied ? 'Never lists' : 'Lists') + ' mail from ' + whom(entry.key) + to + when + auth + '.';
}

/** Hands lines to the browser as a file to keep. */
export function download(name, lines) {
  const url = URL.createObjectURL(new Blob(lines.map(line => line + '\n'), {type: 'text/plain;charset=utf-8'}));
  const link = Object.assign(document.createElement('a'), {href: url, download: name.replace(/[^\w.@-]/g, '_') + '.txt'});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
