/** The smallest secret, in bytes: the output length of SHA-256. RFC 2104 §3 */
const MIN_SECRET_BYTES = 32;

/**
 * Finds what is wrong with the option `keys`, an array of secrets, without showing the secrets.
 *
 * @param call - The call that received them, for the messages.
 */
export function findSecretProblems(call: string, keys: unknown): readonly string[] {
  if (!Array.isArray(keys) || keys.length === 0) {
    return [`${call} needs at least one key. Pass an array of secrets as keys.`];
  }
  return keys.flatMap((key: unknown, index) => {
    if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
      return `${call} cannot use a value of type ${typeof key} as keys[${index}]. Use a string or bytes.`;
    }
    const size = Buffer.byteLength(key);
    return size < MIN_SECRET_BYTES
      ? `${call} cannot use a key of ${size} bytes as keys[${index}]. Use at least ${MIN_SECRET_BYTES}, for example from randomBytes(32).`
      : [];
  });
}
