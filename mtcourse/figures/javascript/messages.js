// What a page says, in the page's language. Scripts say it in English; a page in another language has a
// table of messages (book/_ext/translation.py), and what is missing from it stays English.

const messageTable = () => globalThis.mtcourseMessages ?? {};

// values: by name, for each {name} of the message.
export const phrase = (message, values = {}) => phraseParts(message, values).join("");

// The same with nodes among the values: texts and nodes, in the order that the language wants.
export function phraseParts(message, values = {}) {
  const said = messageTable()[message] ?? message;
  return said.split(/(\{\w+\})/).flatMap((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name && Object.hasOwn(values, name) ? values[name] : part || [];
  });
}
