/**
 * A refusal as the host writes it: what happened, a semicolon, and what a client can do. It is apart from the decoder of stored
 * failures: the client that people install would carry the words of every engine.
 */
export function refusalParts(message: string): { readonly what: string; readonly remedy: string | null } {
  const mark = message.indexOf('; ');
  return mark < 0
    ? { what: message, remedy: null }
    : { what: message.slice(0, mark), remedy: message.slice(mark + '; '.length) };
}
