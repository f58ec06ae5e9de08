/** Requests to WebAdmin, and the lines of lists that it answers with. */

/** The password or token: in memory only, gone when the page is. */
let secret = '';

/** Whether James answers without a password. */
export let isOpen = false;

export const setSecret = value => { secret = value; };

/** What went wrong, in words for the person. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Asks a route below /whitelists; returns its JSON, or null where there is nothing. */
export async function ask(path, {method = 'GET', body, type = 'application/json'} = {}) {
  const headers = secret ? {Password: secret, Authorization: 'Bearer ' + secret} : {};
  if (body !== undefined) headers['Content-Type'] = type;
  const sent = secret;
  let answer;
  try {
    answer = await fetch(new URL('../whitelists' + path, import.meta.url),
      {method, headers, body, cache: 'no-store', credentials: 'same-origin'});
  } catch {
    throw new Refused(0, 'James does not answer. Is it running, and can this browser reach it?');
  }
  const text = await answer.text();
  let json = null;
  try { json = text ? JSON.parse(text) : null; } catch { /* Not ours: the status says enough. */ }
  if (answer.ok) {
    isOpen = !secret;
    return json;
  }
  if (answer.status === 401) {
    if (sent === secret) document.dispatchEvent(new Event('login'));
    throw new Refused(401, 'James asks for a password or token.');
  }
  const details = json?.details ?? json?.message ?? 'James answered with status ' + answer.status + '.';
  throw new Refused(answer.status, answer.status !== 403 ? details
    : /web page/.test(json?.message ?? '') ? json.message + '. ' + details
    : 'This password may not change this.');
}

/** Returns the query of parameters that are set. An empty sender is the null sender. */
export const query = parameters => '?' + Object.entries(parameters)
  .filter(([name, value]) => value || (name === 'sender' && value === ''))
  .map(([name, value]) => name + '=' + encodeURIComponent(value)).join('&');

/** Returns the path of an entry. */
export const entryPath = (list, key, to) => '/' + encodeURIComponent(list) + '/entries/'
  + encodeURIComponent(key) + (to ? '/for/' + encodeURIComponent(to) : '');

const WORD = /^\s*((?:"(?:[^"\\]|\\.)*"|[^\s"])+)/;

/** Returns what a line of a list says: its key is the first word, and a note its last. */
export function parse(line) {
  const entry = {line, denied: line.startsWith('!'), origin: 'admin', note: ''};
  let rest = entry.denied ? line.slice(1) : line;
  for (let word; (word = WORD.exec(rest)); rest = rest.slice(word[0].length)) {
    const [name, ...value] = word[1].split('=');
    if (entry.key === undefined) {
      entry.key = word[1];
    } else if (name === 'note') {
      entry.note = rest.slice(rest.indexOf('=') + 1);
      break;
    } else {
      entry[name] = value.join('=');
    }
  }
  entry.id = entry.key + (entry.to ? ' to=' + entry.to : '');
  return entry;
}
