/** What the second edition of the lexicon knows beside the first, in the same notation. */

/** Every word of the one list before every word of the other: `exactly two` as `exactly_two`. */
const pairs = (first: string, second: string): string =>
  first
    .split(" ")
    .flatMap((before) => second.split(" ").map((after) => `${before}_${after}`))
    .join(" ")

/** In words; digits are passed over, so that `at most 250 words` is `most_words`. */
const several = "two three four five six seven eight nine ten eleven twelve fifteen twenty"
const numbers = `one ${several}`
const lengths = "words lines sentences letters syllables"

/** Kinds that the first edition has not: requests that are short and ask for much. */
export const addedKinds = {
  puzzle: `
    puzzle puzzles riddle riddles crossword cryptic clue clues anagram anagrams sudoku paradox palindrome palindromes
    monty_hall send_more rebus enigma brain_teaser brainteaser logic_grid truth_teller knights_and one_lies always_lies lies_always truth_tellers always_tells
    magic_square checkmate mate_in what_am knights knaves knave weighings balance_scale rätsel wägungen kreuzworträtsel devinette énigme acertijo adivinanza indovinello charada
    загадка загадку головоломка головоломку bilmece bulmaca لغز חידה पहेली 谜语 謎語 谜题 谜底 字谜 推理 逻辑 天平 天秤 저울 なぞ 謎解 謎々 パズ 수수 퀴즈 퍼즐`,
  task: `
    設計 设计 설계 design_a design_an design_the design_me design_and design_for design_of design_it design_our design_my design_that designing_a architect_a architect_an devise_a devise_an
    invent_a invent_an model_a specify_a system_design study_design api_design schema_design database_design experiment_design design_proposal
    sketch_a sketch_an sketch_the propose_an you_design you_architect what_design data_model an_architecture
    database_schema relational_schema system_architecture service_design app_design game_design
    reverse_engineer critique_the prove_or debug_this optimize_this optimise_this steelman
    entwirf_ein entwirf_eine entwerfe_ein concevez_un conçois_un concevoir_un diseña_un diseña_una diseñar_un
    progetta_un projete_um ontwerp_een zaprojektuj спроектируйте спроектируй разработайте разработай tasarla صمم תכנן`,
  limit: `
    ${pairs("exactly precisely", numbers)} ${pairs("exactly precisely than most under", lengths)}
    ${pairs(several, "word words letter syllable syllables")} ${pairs("four five six seven eight nine ten", "letters")}
    one_syllable in_exactly words_exactly words_max max_words
    without_using without_the only_words only_one only_using each_line every_line every_word each_word each_sentence
    every_sentence no_word no_letter same_letter the_letter starts_with start_with ends_with not_rhyme
    rhyme rhymes rhyming rhymed sonnet villanelle sestina limerick haiku acrostic lipogram pantoum ghazal
    iambic pentameter alphabetical_order backwards sonett ohne_den genau_zwei genau_drei genau_vier genau_fünf genau_sechs genau_sieben genau_zehn sans_la sans_utiliser exactement_trois
    sin_usar senza_usare 押韵 押韻 藏头 七言 五言 绝句 律诗 对联 每句 每行 不使 不用 只用 恰好 使わ 俳句 短歌 시조 삼행`
} as const

/** More words of kinds that were there. */
export const addedWords = {
  proof: `
    show_why show_there by_contradiction 试证 試證 求證 证 證 证法 反证 予証 証せ 証し 背理 帰納 示す 귀납 귀류 임을`,
  argue: `
    infinitely_many a_derivation 推出 导出 導き 導け 導く 도출`,
  maths: `
    微分 极限 極限 导数 導數 数列 數列 级数 級數 向量 矩阵 矩陣 集合 三角 正弦 余弦 圆的 直线 抛物 椭圆 双曲 方根 平方 立方 根号 因式 分解 不等 通解 特解 极值 最值 单调 周期 奇偶 定积 偏导 行列 特征 无理 有理
    自然 奇数 偶数 质因 约数 倍数 余数 排列 组合 几何 代数 坐标 象限 面积 體積 体积 周长 半径 直径 无穷 同余 收敛 连续 可导 群论 拓扑 連続 収束 定積 因数 公約 公倍 円周 面積 周囲 座標 曲線 接線 対数 指数 複素
    다항 인수 수열 극한 미분 벡터 행렬 삼각 직선 곡선 넓이 부피 둘레 반지 지름 무리 유리 자연 정수 소인 약수 배수 나머 집합 기하 대수 좌표 연속 수렴 부등 로그 지수 실수 differential
    odd_number odd_numbers even_number even_numbers natural_number natural_numbers squared cubed differentiable integrate differentiate limit_of`,
  compute: `
    求函 求方 求出 求导 求極 求极 求不 求最 求其 求该 求数 求所 求这 求下 求曲 求实 求满 求两 求它 求此 求面 求向 求二 求三 求圆 求微 求矩 求使 求值 求角 求点 求直 求抛 求椭 求定 求积 求和 求概 求 解不 解下
    化简 化簡 算出 算一 估算 求め 求む 解け 解き 解く 計算 구하 구해 풀어 풀이 풀라 푸시 푸세 계산 구한`,
  arithmetic: `
    多少 几个 幾個 几只 几本 几天 几小 几分 几人 几米 几元 几次 几种 一共 总共 總共 共有 共需 还剩 還剩 剩下 剩余 平均 每天 每小 每人 每个 每個 每千 每公 每分 每件 每本 每只 每年 每月 百分 利润 利潤 打折 八折
    九折 价格 速度 相遇 相距 追上 工程 合作 单价 总价 合計 残り 毎日 毎時 毎分 割合 割引 何個 何人 何円 何本 何枚 何分 何時 何日 全部 速さ 時速 分速 代金 値段 모두 남은 남았 평균 매일 매시 시속 분속 속력 할인
    가격 비율 몇 개씩 명씩`,
  comparison: `
    大于 小于 等于 不超 至多 最大 最小 之和 之差 之积 之比 相等 一半 两倍 三倍 倍多 以上 以下 半分 二倍 최대 최소 같은 절반 이상 이하`,
  unit: `
    厘米 千米 公里 米每 千克 公斤 小时 分钟 公顷 元钱 キロ 미터 킬로 센티 그램 리터 시간`,
  quantifier: `
    任意 所有 每一 存在 至少 任何 全て 모든 임의 존재`,
  condition: `
    已知 设x 设函 设a 若a 若函 若x 当x 假定 满足 滿足 とき 이면 일때 만족`,
  step: `
    首先 然后 然後 接着 最后 最後 依次 まず 次に 먼저 다음 마지`,
  negation: `
    不是 不会 并非 無い ない 않는 없는`,
  constraint: `
    要求 只能 不能 不许 必ず 以内 반드 이내 만을`,
  physics: `
    加速 质量 質量 电场 磁场 动量 动能 电流 电压 电阻 压强 温度 光速 波长 频率 电荷 重力 摩擦 電流 電圧 運動 질량 가속 전류 전압`,
  chemistry: `
    化学 反应 溶液 分子 原子 离子 摩尔 氧化 还原 反応 화학 반응`,
  computing: `
    資料 程式 编程 編程 接口 缓存 并发 併發 链表 二叉 排序 复杂 配列 並行 자료 정렬 배열 동시 캐시`,
  design: `
    架构 架構 分布 可扩 高可 一致 容错 微服 延迟 吞吐 分散 可用 一貫 耐障 분산 확장 가용 일관 아키`,
  why: `
    difference_between differ differs versus vs what_makes what_causes what_can what_should unterschied unterschiede unterscheidet
    wie_funktioniert wie_kann wie_soll différence diferencia diferença differenza verschil różnica разница отличается farkı 区别 區別 差别 違い 차이
    how_does how_do how_did how_can how_could how_would how_should how_is how_are how_was how_to how_come 为何 为啥 爲什 怎么 어떻 어째`,
  explain: `
    list 说说 分析 比较 比較 讨论 論述 论述 概述 评价 列举 阐述 論じ 比べ 述べ 논하 분석 서술`,
  // No longer of a kind: as often a pronoun as a number, and as often said of an amount as of a manner.
  stop: `
    one how`
} as const
