// A self-signed certificate for localhost and 127.0.0.1, valid until 2126. Only tests use it. Created with
// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost \
//   -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6TVSPAKQSqmLDS2C
jiPazdF1Pln2g9nG9nOL8u8lJrihRANCAASf0HDsXMNd/upWXMrXg+9g6iKY71Tl
4w5JeEqiwcyY2dSRK9Idphs1AreGDnw+WvB/PS0N6r+CloTua6QmzN1w
-----END PRIVATE KEY-----
`;

export const cert = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUYdz/5YaUlQ4U1KqsZQQPY1KkrlQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjAyMjIyNVoYDzIxMjYxMDI5
MDIyMjI1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASf0HDsXMNd/upWXMrXg+9g6iKY71Tl4w5JeEqiwcyY2dSRK9Idphs1
AreGDnw+WvB/PS0N6r+CloTua6QmzN1wo28wbTAdBgNVHQ4EFgQUdej69QyfhZfU
2J7FSCt1vmgYfWYwHwYDVR0jBBgwFoAUdej69QyfhZfU2J7FSCt1vmgYfWYwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgd7cjkKHxXwI2sxHWCYhdcf8uu84ycvU8ZAAt9kXqAKwCIDDg
VUKQ4Qy/ZNk+vTv0dyyXbdmamkW2SrP/BkYYnKLr
-----END CERTIFICATE-----
`;
