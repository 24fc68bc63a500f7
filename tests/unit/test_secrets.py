"""Credentials are found before they reach the bank; ordinary sentences are not."""

from __future__ import annotations

import random
import string
import unicodedata

import pytest

from bankd.secrets.screening import find_secrets, is_luhn, mask_secrets, undisguise_text

_seeded = random.Random(2026)


def _drawn(alphabet: str, length: int) -> str:
    return "".join(_seeded.choice(alphabet) for _ in range(length))


def _hex(length: int) -> str:
    return _drawn("0123456789abcdef", length)


def _mixed(length: int) -> str:
    return "aZ7" + _drawn(string.ascii_letters + string.digits, length - 3)


def _base64(length: int) -> str:
    return "b/Q4" + _drawn(string.ascii_letters + string.digits + "+/", length - 4)


def _upper(length: int) -> str:
    return _drawn(string.ascii_uppercase + "234567", length)


ISSUED = [
    f"key is AKIA{_upper(16)}",
    f"token ghp_{_mixed(36)}",
    f"GH_TOKEN=github_pat_{_mixed(22)}_{_mixed(59)}",
    f"CI uses glpat-{_mixed(20)}",
    f"use sk-ant-api03-{_mixed(40)}",
    f"OPENAI sk-proj-{_mixed(48)}",
    f"deepseek sk-{_hex(32)}",
    f"openrouter sk-or-v1-{_hex(64)}",
    f"stripe sk_live_{_mixed(24)}",
    f"webhook whsec_{_mixed(32)}",
    f"groq gsk_{_mixed(52)}",
    "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    f"the JWT is eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{_mixed(30)}",
    f"xoxb-123456789012-{_mixed(24)}",
    f"post to https://hooks.slack.com/services/T0{_upper(8)}/B0{_upper(8)}/{_mixed(24)}",
    f"알림은 https://discord.com/api/webhooks/1098765432109876543/{_mixed(68)} 로 보낸다",
    f"telegram 123456789:AA{_mixed(33)}",
    f"Google key AIza{_mixed(35)}",
    f"client GOCSPX-{_mixed(28)}",
    f"refresh 1//0e{_mixed(60)}",
    f"ya29.a0{_mixed(60)}",
    f"age identity AGE-SECRET-KEY-1{_drawn('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}",
    f"databricks dapi{_hex(32)}",
    f"DO dop_v1_{_hex(64)}",
    f"supabase sbp_{_hex(40)}",
    f"shopify shpat_{_hex(32)}",
    f"mailgun key-{_hex(32)}",
    f"sendgrid SG.{_mixed(22)}.{_mixed(43)}",
    f"twilio SK{_hex(32)}",
    f"airtable pat{_mixed(14)}.{_hex(64)}",
    f"notion ntn_{_mixed(46)}",
    f"linear lin_api_{_mixed(40)}",
    f"hf_{_mixed(34)}",
    f"the URL is https://api.telegram.org/bot123456789:AA{_mixed(33)}/getMe",
    f"Azure 클라이언트 암호 값 aB38Q~{_mixed(34)}",
    f"npm_{_mixed(36)}",
    f"pypi-AgEIcHlwaS5vcmc{_mixed(40)}",
    f"docker dckr_pat_{_mixed(27)}",
    f"vault hvs.{_mixed(24)}",
    f"grafana glsa_{_mixed(32)}_{_hex(8)}",
    f"AccountKey={_base64(86)}==",
    "postgres://bank:hunter2secret@db/prod",
    "redis://:p4ssw0rd@10.0.0.5:6379",
    f"git clone https://{_mixed(40)}@git.example.dev/kim/app.git",
    f"https://bucket.s3.amazonaws.com/dump.gz?X-Amz-Expires=900&X-Amz-Signature={_hex(64)}",
    "echo 'S3cureRoot!' | sudo -S apt update",
]
NAMED = [
    f"KAKAO_REST_API_KEY={_hex(32)}",
    f"카카오 REST API 키는 {_hex(32)}",
    f"카카오 앱 키: {_hex(32)}",
    f"twilio auth token: {_hex(32)}",
    f"TWILIO_AUTH_TOKEN={_hex(32)}",
    f"네이버 client secret: {'aB3dE5fG7h'}",
    f"X-Naver-Client-Secret: {'Qw3rT7yU1o'}",
    f"data.go.kr 인증키: {_mixed(40)}%2B{_mixed(20)}%3D%3D",
    f"공공데이터 serviceKey={_hex(64)}",
    f"datadog api key {_hex(32)}",
    f"heroku api key is {_hex(8)}-{_hex(4)}-{_hex(4)}-{_hex(4)}-{_hex(12)}",
    f"aws_secret_access_key = {_base64(40)}",
    f"AWS secret {_base64(40)}",
    f"secret value {_mixed(40)}",
    f"Authorization: Bearer {_mixed(40)}",
    f"CLOUDFLARE_API_TOKEN: {_mixed(40)}",
    f"토큰은 {_mixed(32)} 이다",
    f"algolia admin key = {_hex(32)}",
    f"set SECRET_KEY to {_mixed(50)}",
    f'"apiKey": "{_hex(40)}"',
    "password: Tr0ub4dor&3",
    "**Password:** `vK3$busan-River`",
    "Client ID abcdefgh, Client Secret qWeRtYuIoP",
    '{"auths":{"registry.example.dev":{"auth":"bWluYTpxd2VyMTIzNA=="}}}',
    "시드 구문 1. zoo 2. wrong 3. wool 4. wonder 5. woman 6. wolf 7. winter 8. wing 9. wine 10. window 11. will 12. wild",
    "**Password**: `hunter2!`",
    "DB_PASSWORD=s3cr3tpw",
    "dbPassword = Summer2026!",
    "the wifi password is sunny2024.",
    "the password for staging changed to Winter2026!",
    "reset the admin password to Qwer!234 today",
    "pass: hunter22",
    "pw: 1q2w3e4r!",
    "login admin / S3cret99!",
    "id/pw: root/toor1234",
    "관리자 계정 admin / qwer1234!",
    "비밀번호는 hunter2!pass 이다",
    "서버 비번 qwer1234!",
    "패스워드: abcd1234",
    "비밀번호를 Zxcv9876!로 변경했다",
    "와이파이 비번은 sunny2024입니다",
    "현관 비밀번호는 4821",
    "PIN: 4821",
    "카드 핀번호 482913",
    "curl -u admin:S3cretPass1 https://example.com/api",
    "mysql -u root -pS3cretPass db",
    "sshpass -p 'Hunter2!x' ssh host",
    "지갑 시드 구문: abandon ability able about above absent absorb abstract absurd abuse access accident",
    "recovery phrase is zoo wrong wool wonder woman wolf winter wing wine window will wild",
    "주민번호 900101-1234568",
    "registered as 850315-2123452",
    "card 4111 1111 1111 1111 exp 12/28",
    "카드번호 5500-0000-0000-0004",
    "ｐａｓｓｗｏｒｄ：ｈｕｎｔｅｒ２！",
    "pass\u200bword: hun\u200bter2!",
    f"카카오 어드민 키 {_hex(32)}",
    f"Set-Cookie: JSESSIONID={_hex(32).upper()}",
    "통장 비밀번호 4자리는 7391",
    "접속정보 root / Root!2026x",
    "my login for jira: kim / Jira#4455",
    "SSID Home5G / pw moonlight88",
    "vpn psk = Wg!tunnel-2026x",
    "WPA2 key: riverbank2026",
    "the alarm code is 4419",
    "recovery code 4F7K2-9QXZD",
    f"ghp\u200b_{_mixed(36)}",
]
HARMLESS = [
    "가치관: 정직을 최우선으로 한다.",
    "password rotation: every 90 days",
    "토큰은 매주 바꾼다",
    "the secret is patience",
    "see https://example.com/docs/getting-started/installation-guide",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it",
    "the key commit is 3f786850e387550fdab836ed7e6dc881de23001b",
    "Prefers tokio::sync::Mutex over std::sync::Mutex in async code",
    "bank/knowledge/tools/kubernetes-cluster-autoscaler.md",
    "sk_buff_head_list_lock is taken twice",
    "sk-learn-pipeline-preprocessing-v2 is the name of the branch",
    "ordered the iPhone15ProMax256GBNaturalTitanium",
    "pwd is /home/kim/projects/bankd2",
    "the pass through the mountains is open from May 2026",
    "passed 128 tests, 3 failed",
    "비밀번호 정책: 90일마다 변경, 12자 이상",
    "비밀번호를 잊어버려서 재설정했다",
    "the primary key is user_id_2026",
    "key: order_created_at_2026_01",
    "token limit is 128000",
    "the context window has 200000 tokens",
    "토큰 사용량 128000개",
    "login at 09:30 on 2026-05-04",
    "로그인 페이지: 2초 안에 뜬다",
    "the API key is in 1Password under op://Private/openai",
    "API_KEY=$OPENAI_API_KEY",
    "password: <your password>",
    "password: ********",
    "the secret is kept in vault:kv/data/app2",
    "session id 0f8fad5b-d9cb-469f-a165-70867728950e",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "order 4111111111111112 was shipped",
    "call 010-1234-5678 after 6",
    "account 110-234-567890 at Shinhan",
    "build 20260504-1234567 is out",
    "open https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
    "The password is base64 encoded before it is sent",
    "secret santa is on 2026-12-20",
    "PIN the tab in the browser",
    "node v20.11.1 needs python3.11",
    "키: 182cm, 몸무게: 74kg",
    "암호화 방식은 AES256을 쓴다",
    "the seed is 42 for all runs",
    "계정 정보는 노션에 있다",
    "keyboard: HHKB Professional2 Type-S",
    "my favourite token is RUNE2 in that game",
    "the key GitHubAPI class is gone",
    "auth is done by OAuth2Proxy now",
    "password managers compared: Bitwarden2026, 1Password8, KeePassXC",
    "my basic plan: 10GB/month",
    "암호학 강의 3주차: RSA2048",
    "비밀번호 관리자: 1Password8",
    "S3 key: exports/2026/05/04/report_v2.csv",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{_mixed(44)} kim@laptop",
    f"integrity sha512-{_base64(86)}==",
    "the error code is 4419",
]


@pytest.mark.parametrize("text", [*ISSUED, *NAMED])
def test_credentials_are_found_and_masked(text: str) -> None:
    secrets = find_secrets(text)

    assert secrets
    masked = mask_secrets(text, secrets)
    assert text[secrets[0].start : secrets[0].end] not in masked


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_sentences_are_not(text: str) -> None:
    assert find_secrets(text) == ()


def test_a_changed_password_is_masked_and_the_one_before_it_too() -> None:
    text = "changed the root password from Old!1111 to New!2222"

    assert mask_secrets(text, find_secrets(text)) == "changed the root password from [password] to [password]"


def test_a_configured_pattern_is_found() -> None:
    found = find_secrets("badge ACME-1234 lost", [lambda text: [(text.index("ACME"), text.index("ACME") + 9)]])

    assert mask_secrets("badge ACME-1234 lost", found) == "badge [configured pattern] lost"


def test_every_letter_is_read_as_its_plain_form() -> None:
    for code in [*range(0xD800), *range(0xE000, 0x10000)]:
        letter = chr(code)
        seen = "" if unicodedata.category(letter) == "Cf" else unicodedata.normalize("NFKC", letter)
        assert undisguise_text(letter)[0] == seen, hex(code)


def test_the_mask_covers_a_disguised_secret_where_it_stands() -> None:
    text = "ｐａｓｓｗｏｒｄ：ｈｕｎｔｅｒ２！ 였다"

    assert mask_secrets(text, find_secrets(text)) == "ｐａｓｓｗｏｒｄ：[password] 였다"


def test_a_card_number_is_known_by_its_check_digit() -> None:
    assert is_luhn([int(c) for c in "4111111111111111"])
    assert not is_luhn([int(c) for c in "4111111111111112"])
