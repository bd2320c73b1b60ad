// Searches the sections of all pages (index.js). Every word must occur; a hit in a title counts more than one in the text.
const field = document.getElementById('search');
const results = document.getElementById('results');
const pages = document.getElementById('pages');
const MOST = 12;

/** "upgrade" also finds "upgrading", "tests" also "test". */
const stem = (word) => (word.length > 4 ? word.replace(/(?:ing|es|e|s)$/, '') : word);

/** Sections for users come before those about the project itself. */
function score({ page, title, text, isForUsers }, words) {
  let sum = 0;
  for (const word of words) {
    const points =
      (title.toLowerCase().includes(word) ? 10 : 0) +
      (page.toLowerCase().includes(word) ? 5 : 0) +
      (text.toLowerCase().includes(word) ? 1 : 0);
    if (points === 0) return 0;
    sum += points;
  }
  const phrase = words.join(' ');
  if (title.toLowerCase().includes(phrase)) sum += 10;
  if (text.toLowerCase().includes(phrase)) sum += 5;
  return isForUsers ? sum * 3 : sum;
}

/** The text around the first word that it contains. */
function excerpt(text, words) {
  const at = words.map((word) => text.toLowerCase().indexOf(word)).find((found) => found >= 0) ?? 0;
  const from = Math.max(0, text.lastIndexOf(' ', Math.max(0, at - 30)));
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 110).trim()}…`;
}

function resultOf(section, words) {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  link.href = section.at;
  link.textContent = section.title === section.page ? section.title : `${section.page} › ${section.title}`;
  link.appendChild(document.createElement('small')).textContent = excerpt(section.text, words);
  return item;
}

field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean).map(stem);
  const found = globalThis.SECTIONS.map((section) => [score(section, words), section])
    .filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0])
    .slice(0, MOST)
    .map(([, section]) => resultOf(section, words));
  results.hidden = words.length === 0;
  const nothing = Object.assign(document.createElement('li'), { textContent: 'Nothing found' });
  results.replaceChildren(...(found.length > 0 ? found : [nothing]));
});

document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === 'Enter' && document.activeElement === field) results.querySelector('a')?.click();
});

// On a narrow screen the list of pages is folded up.
if (matchMedia('(max-width: 52rem)').matches) pages.open = false;
