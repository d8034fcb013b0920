import test from 'ava';
import { isLoopbackAddress, isPublicAddress } from '../../../executors/videohost/public-address.ts';

const refused = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'link-local addresses': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  'the provider’s shared network': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  'what is reserved, or for documents and benchmarks': [
    ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '192.88.99.1'],
    ...['2001:db8::1', '2001:2::1', '3fff::1', '100::1', '2001:10::1', '2001:20::1', '5f00::1', '4000::1', '8000::1'],
  ],
  'IPv6 that carries IPv4': [
    ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1', '2002:7f00:1::1', '2001:0:1::1'],
  ],
  'zones and what is no address': [
    ...['2606:4700::1111%lo', '', 'localhost', '1.2.3', '0x7f.0.0.1', '017700000001', '2130706433', '1.2.3.4:80'],
    ...['[2606:4700::1111]', ' 8.8.8.8', '8.8.8.8\n', '08.8.8.8'],
  ],
};

for (const [what, addresses] of Object.entries(refused)) {
  test(`${what}: not public`, (t) => {
    for (const address of addresses) t.false(isPublicAddress(address), address);
  });
}

test('what lies beside a special range is public', (t) => {
  const beside = ['9.255.255.255', '11.0.0.0', '126.255.255.255', '128.0.0.1', '172.15.255.255', '172.32.0.0'];
  const others = ['100.63.255.255', '100.128.0.0', '169.253.255.255', '223.255.255.255', '8.8.8.8'];
  for (const address of [...beside, ...others, '2606:4700:4700::1111', '2a00:1450:4009::200e']) {
    t.true(isPublicAddress(address), address);
  }
});

test('loopback is told from everything else, in its plain forms only', (t) => {
  for (const address of ['127.0.0.1', '127.1.2.3', '::1']) t.true(isLoopbackAddress(address), address);
  for (const address of ['::ffff:127.0.0.1', '10.0.0.1', '8.8.8.8', 'localhost', '']) {
    t.false(isLoopbackAddress(address), address);
  }
});
