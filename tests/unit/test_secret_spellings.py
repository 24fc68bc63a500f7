"""Credentials as people really write them down, in eighty spellings, beside lines that only look like one.

Written without a look at the rules; the words are invented, and the random parts drawn anew from a seed.
"""

from __future__ import annotations

from random import Random

import pytest

from bankd.secrets.screening import find_secrets

RANDOM = Random(3)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def hexadecimal(length: int) -> str:
    return "".join(RANDOM.choice("0123456789abcdef") for _ in range(length))


def letters(length: int) -> str:
    return "".join(RANDOM.choice(LETTERS) for _ in range(length))


CREDENTIALS = {
    "kakao rest": f"카카오 REST API 키는 {hexadecimal(32)}",
    "kakao env": f"KAKAO_REST_API_KEY={hexadecimal(32)}",
    "twilio": f"Twilio auth token: {hexadecimal(32)}",
    "twilio sid": f"TWILIO_AUTH_TOKEN={hexadecimal(32)}",
    "databricks": f"databricks token dapi{hexadecimal(32)}",
    "digitalocean": f"dop_v1_{hexadecimal(64)}",
    "supabase": f"SUPABASE_SERVICE_ROLE_KEY=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{letters(60)}.{letters(43)}",
    "supabase2": f"sbp_{hexadecimal(40)}",
    "shopify": f"shpat_{hexadecimal(32)}",
    "mailgun": f"key-{hexadecimal(32)}",
    "mailgun2": f"Mailgun API key: {hexadecimal(32)}-{hexadecimal(8)}-{hexadecimal(8)}",
    "airtable": f"pat{letters(14)}.{hexadecimal(64)}",
    "naver": f"네이버 클라이언트 시크릿: {letters(10)}",
    "naver2": f"X-Naver-Client-Secret: {letters(10)}",
    "naver3": f"NAVER_CLIENT_SECRET={letters(10)}",
    "datagokr": f"공공데이터포털 serviceKey={letters(40)}%2B{letters(40)}%3D%3D",
    "datagokr2": f"data.go.kr 인증키는 {letters(86)}==",
    "aws slash": f"aws_secret_access_key = {letters(10)}/{letters(12)}/{letters(16)}",
    "google refresh": f"refresh_token: 1//0{letters(40)}-{letters(20)}",
    "discord hook": f"https://discord.com/api/webhooks/{RANDOM.randint(10**17, 10**18)}/{letters(68)}",
    "age": f"AGE-SECRET-KEY-1{''.join(RANDOM.choice('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L') for _ in range(58))}",
    "curl u": "curl -u admin:hunter2secret https://api.example.com",
    "mysql p": "mysql -u root -pS3cretPw! shop",
    "mysql2": "mysqldump -uroot -p'tiger-99' db",
    "ko pw1": "패스워드: qwer1234!",
    "ko pw2": "비번은 tiger7788 이야",
    "ko pw3": "공유기 비밀번호 happy2024!!",
    "ko pw4": "와이파이 비번 = 01012345678a",
    "pass": "pass: Tr0ub4dor&3",
    "login": "login: admin / Tr0ub4dor&3",
    "login2": "login is peter:Winter2026!",
    "changed": "password changed to Summer!2026",
    "changed ko": "비밀번호를 Summer!2026 으로 바꿨다",
    "rrn": "주민등록번호 900101-1234568",
    "card": "card 4111 1111 1111 1111",
    "pin": "현관 비밀번호는 4821#",
    "pin2": "My PIN is 4821",
    "seed": "seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident",
    "fullwidth": "ｐａｓｓｗｏｒｄ： Ｔｒ０ｕｂ４ｄｏｒ",
    "zerowidth": "pass\u200bword: Tr0ub4dor&3",
    "zw key": f"sk-\u200b{letters(20)}T3BlbkFJ{letters(20)}",
    "openai": f"sk-proj-{letters(48)}",
    "anthropic": f"sk-ant-api03-{letters(80)}AA",
    "github": f"ghp_{letters(36)}",
    "gh fine": f"github_pat_{letters(22)}_{letters(59)}",
    "gitlab": f"glpat-{letters(20)}",
    "slack": f"xoxb-{RANDOM.randint(10**11, 10**12)}-{RANDOM.randint(10**11, 10**12)}-{letters(24)}",
    "slack hook": f"https://hooks.slack.com/services/T{letters(8).upper()}/B{letters(8).upper()}/{letters(24)}",
    "stripe": f"sk_live_{letters(24)}",
    "npm": f"npm_{letters(36)}",
    "pypi": f"pypi-AgEIcHlwaS5vcmc{letters(60)}",
    "sendgrid": f"SG.{letters(22)}.{letters(43)}",
    "telegram": f"{RANDOM.randint(10**8, 10**9)}:AA{letters(33)}",
    "hf": f"hf_{letters(34)}",
    "gcp": f"AIza{letters(35)}",
    "azure": f"AccountKey={letters(86)}==",
    "pem": "-----BEGIN OPENSSH PRIVATE KEY-----",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.{letters(40)}.{letters(43)}",
    "url": "postgres://app:s3cr3tpw@db.example.com/app",
    "redis": "redis://:p4ssw0rd99@cache:6379",
    "bearer": f"Authorization: Bearer {letters(40)}",
    "basic": "Authorization: Basic YWRtaW46aHVudGVyMnNlY3JldA==",
    "toss": f"토스페이먼츠 시크릿 키 test_sk_{letters(28)}",
    "iamport": f"IMP_SECRET={letters(80)}",
    "ncp": f"NCP_SECRET_KEY={letters(40)}",
    "coupang": f"쿠팡 SECRET KEY: {hexadecimal(40)}",
    "otp": "OTP secret JBSWY3DPEHPK3PXPJBSWY3DP",
    "vault": f"hvs.{letters(90)}",
    "doppler": f"dp.pt.{letters(43)}",
    "linear": f"lin_api_{letters(40)}",
    "notion": f"ntn_{letters(46)}",
    "notion2": f"secret_{letters(43)}",
    "figma": f"figd_{letters(40)}",
    "cloudflare": f"Cloudflare API token: {letters(40)}",
    "heroku": f"HEROKU_API_KEY={hexadecimal(8)}-{hexadecimal(4)}-{hexadecimal(4)}-{hexadecimal(4)}-{hexadecimal(12)}",
    "pgpass": "db.example.com:5432:app:bankd:Tr0ub4dor",
    "sudo": "root 비밀번호가 toor1234 로 되어 있다",
    "wifi": "Wi-Fi password is blue-tiger-99",
    "계좌비번": "계좌 비밀번호 8832",
    "bitcoin wif": f"5{letters(50)}",
    "eth": f"private key 0x{hexadecimal(64)}",
    "passport": "여권번호 M12345678",
    "totp": "TOTP seed for GitHub is CUEESKS55IOEWJRCF3LOBESRJERPYLMI",
    "capital": "Recovery phrase: gravity machine north sort system female filter attitude volume fold club stay",
    "numbered": "Mnemonic: " + " ".join(f"{n}. gravity" for n in range(1, 13)),
    "openssl": "openssl enc -aes-256-cbc -k f0yxiOnTcVAi -in backup.tar decrypts the backup.",
    "keychain": "security unlock-keychain -p tr0ub4dor login.keychain",
    "unzip": "unzip -P geheim77 backup.zip",
    "7z": "7z x -pGeheim77 backup.7z",
    "adverb": "pw는 그대로 qwer1234! 쓰면 됨",
    "digits named": "통장 비밀번호 네자리 4821",
    "safe": "금고 번호 4821, 왼쪽으로 돌린다",
    "bare pair": "root / hunter2!",
    "pair in a sentence": "The login for the staging server is admin / Tr4vel!bug92 until Friday.",
    "pair ko": "공유기 관리자는 admin / tplink#2024 로 들어간다",
    "pair in a table": "| 그라파나 | admin / vnfmsqkek12! |",
    "column": "| service | user | password |\n|---|---|---|\n| grafana | admin | `Cactus!2031` |",
    "htpasswd": "htpasswd -b /etc/nginx/.htpasswd minsu Gl4ssDoor77",
    "htpasswd shown": "htpasswd -nbB kim Lantern-55 >> users",
    "net use": r"net use Z: \\fileserver\share /user:CORP\jlee Spr!ng2026",
    "net use first": r"net use \\fileserver\share Spr1ng-time /user:jlee",
    "net user": "net user peter Autumn!77 /add",
    "smbclient": "smbclient //nas/backup -U peter%Kite+Moon8",
    "ldapsearch": 'ldapsearch -x -D "cn=admin,dc=corp,dc=kr" -w L4dapPass! -b dc=corp',
    "winrm": "evil-winrm -i 10.0.0.5 -u administrator -p 'Summ3r!2025'",
    "mosquitto": "mosquitto_pub -h broker -u sensor7 -P Hum1dity9 -t a/b",
    "ipmi": "ipmitool -I lanplus -H 10.0.0.8 -U ADMIN -P Ironw00d chassis status",
    "rdp": "xfreerdp /v:10.0.0.9 /u:peter /p:Gardenia44",
    "lftp": "lftp -u kim,Blueberry9 ftp.example.com",
    "chpasswd": "echo 'deploy:Zebra2026' | sudo chpasswd",
    "redis-cli": "redis-cli -h cache.internal -a r3dis-Fl4mingo ping",
    "sql": "CREATE USER app IDENTIFIED BY 'Sunf1ower';",
    "keystore": "keytool -importkeystore -storepass Orchid77 -f a.jks",
    "any option": "backup-tool restore -p Tea4Two! /srv",
    "door": "현관 도어락 번호는 #2580*",
    "combination": "the safe opens with code 71-24-09",
}
HARMLESS = [
    "sk_buff_head_list_lock is held",
    "pip install sk-learn-pipeline-helpers-extra",
    "iPhone15ProMax256GBBlueTitanium",
    "pwd is /home/peter/work",
    "password policy: at least 12 characters",
    "비밀번호는 3개월마다 바꾼다",
    "PIN은 4자리다",
    "the token bucket refills each second",
    "commit 3f2a9c4d5e6f708192a3b4c5d6e7f8091a2b3c4d fixed it",
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "uuid 550e8400-e29b-41d4-a716-446655440000",
    "로그인: 네이버 계정으로",
    "login is required for admins",
    "pass: 3 of 5 tests",
    "전화 010-1234-5678",
    "order 4111-2222-3333-4444 shipped",
    "curl -u needs a user name",
    "mysql -p asks for it",
    "the seed phrase is kept in the safe",
    "API key rotation is every 90 days",
    "카카오 API 키는 금고에 있다",
    "password: see 1Password",
    "비번은 민수에게 물어보기",
    "secret santa is on Friday",
    "https://discord.com/channels/123456789012345678/123456789012345678",
    "Bearer of bad news",
    "key: Enter",
    "token count 4096",
    "passphrase changed yesterday",
    "the card ends in 1111",
    "account 110-234-567890 is for rent",
    "version 2024.10.1-beta.3+build.5",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB public key of peter",
    "pin the version to 4.2.1",
    "login page redesign",
    "주민등록번호 뒷자리는 묻지 않는다",
    "PIN code은 배송 때 확인",
    "key-value store is Redis",
    "authorization is by role",
    "비번은 1Password 금고 '서버'에 있다.",
    "비밀번호는 KeePass2 금고에 있다",
    "random seed is 20260504 for every bench",
    "seed 42 gave the best split",
    "openssl enc -k asks nothing",
    "unzip -p archive1.zip page.md",
    "현관 번호키를 4월에 바꾼다",
    "seed=0xDEADBEEF",
    "redis-cli -h cache.internal -p 6380 ping",
    "psql -h db.internal -U app2 -d orders -p 5433",
    "mysql -u root -p shop2024 < dump.sql",
    "docker run -u node -w app2/src -p 8080:80 img",
    "npm install -w web@1.2.0 react@18.2",
    "htpasswd -c /etc/nginx/.htpasswd minsu asks for the word",
    r"net use Z: \\fileserver\share asks who you are",
    "Fixed in Issue / PR#12345",
    "iOS / Android14 both work, AC / DC at 230V!",
    "localhost:8080:80:443:tcp",
    "ssh -l kim -p 2222 host",
    "pg_basebackup -D /var/lib/pgsql-9.5/data -U repluser -v -P --xlog-method=stream",
    "| tool | version |\n|---|---|\n| password | v2.1.0-rc1 |",
    "| tool | version |\n|---|---|\n| vim | 9.1a! |\n\n| password |\n|---|",
]
MISSED = {"jwt", "passport", "combination"}
"""A token whose second part is no JSON, a combination that is written as a date is, and a number that no checksum tells from others."""


@pytest.mark.parametrize("name", sorted(CREDENTIALS.keys() - MISSED))
def test_a_credential_is_found_however_it_is_written(name: str) -> None:
    assert find_secrets(CREDENTIALS[name])


def test_nearly_all_spellings_are_found() -> None:
    missed = {name for name, text in CREDENTIALS.items() if not find_secrets(text)}

    assert missed == MISSED
    assert len(CREDENTIALS) - len(missed) >= 75


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert not find_secrets(text)
