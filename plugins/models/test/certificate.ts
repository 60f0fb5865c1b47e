import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate that nobody but its maker vouches for, for a server on loopback. PEM. */
export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)); // ecdsa-with-SHA256
  const name = sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from('kern test')))));
  const day = (from: number): Buffer =>
    tagged(
      0x17,
      Buffer.from(`${new Date(Date.now() + from * 86_400_000).toISOString().replace(/\D/g, '').slice(2, 14)}Z`),
    );
  const address = tagged(0x87, Buffer.from([127, 0, 0, 1]));
  const isAuthority = extension(oid(0x55, 0x1d, 0x13), sequence(tagged(0x01, Buffer.from([0xff]))));
  const isFor = extension(oid(0x55, 0x1d, 0x11), sequence(address, tagged(0x82, Buffer.from('localhost'))));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(day(-1), day(2)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(isAuthority, isFor)),
  );
  const seal = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const base64 = sequence(body, algorithm, seal).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n').trim()}\n-----END CERTIFICATE-----\n`,
  };
}

/** DER: a tag, the length, and what is in it. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const oid = (...bytes: readonly number[]): Buffer => tagged(0x06, Buffer.from(bytes));
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, tagged(0x04, value));
