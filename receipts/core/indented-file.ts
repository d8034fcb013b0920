/** The stored form of a record that people read: two spaces of indent, keys as inserted, a final newline, UTF-8. */
export const indentedFile = (record: object): Buffer => Buffer.from(`${JSON.stringify(record, null, 2)}\n`, 'utf8');
