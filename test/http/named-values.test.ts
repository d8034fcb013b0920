import test from 'ava';
import { errorRemedies } from '../../contract/base/error-codes.ts';
import { withRemedy } from '../../contract/base/failure.ts';
import { exportNames } from '../../contract/exports/export-name.ts';
import { askedKind } from '../../contract/study/runtime-evidence.ts';
import { namedValues } from '../../http/exchange/named-values.ts';

test('values that a client may give are named whole, and those that find no room are counted', (t) => {
  t.is(namedValues(['a', 'b']), 'a, b');
  for (const [values, remedy] of [
    [exportNames, errorRemedies.not_found],
    [askedKind.options, errorRemedies.unknown_query],
  ] as const) {
    const message = withRemedy(`the value is one of ${namedValues(values)}`, remedy);
    const [, listed = '', more] = /^the value is one of (.+) and (\d+) more; /.exec(message) ?? [];
    const named = listed.split(', ');
    t.deepEqual(named, values.slice(0, named.length));
    t.is(Number(more), values.length - named.length);
    t.true(message.endsWith(`; ${remedy}`));
  }
});
