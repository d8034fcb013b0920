/**
 * A refusal as the host writes it: what happened, a semicolon, and what a client can do. In a file of its own, because the client that
 * people install carries what it imports: the decoder of stored failures brings the words of every engine.
 */
export function refusalParts(message: string): { readonly what: string; readonly remedy: string | null } {
  const mark = message.indexOf('; ');
  return mark < 0
    ? { what: message, remedy: null }
    : { what: message.slice(0, mark), remedy: message.slice(mark + '; '.length) };
}
